"""The registry: whatever is registered is asked, and whatever no source takes is still accounted for."""

import pytest

from accelrag import ingest
from accelrag.corpus import Corpus
from accelrag.errors import SettingsError
from accelrag.settings import Settings
from accelrag.sources import Registration, Registry, registered
from accelrag.sources.registry import one_by_one
from accelrag.sources.requests import document
from accelrag.transport import Transport
from fake_entries import entries


def registration(name, order, takes, text="Words."):
    def build(settings, transport, bases):
        return one_by_one(name, lambda request: document(request, text, "page", source=name))

    return Registration(name, order, takes, build, {f"{name}_base": "https://public.example"})


def run(registry, folder, *urls, sources=None):
    with Corpus.open(folder) as corpus, Transport(Settings()) as transport:
        summary = ingest.fetch(
            entries(*urls), corpus, Settings(), transport=transport, registry=registry, sources=sources
        )
        return summary, {d.entry_id: d for d in corpus.documents()}, corpus.failures()


def test_an_entry_that_no_source_takes_ends_as_one_failure(tmp_path):
    registry = Registry([registration("cats", 1, lambda e: "cats" in e.url)])
    summary, documents, failures = run(registry, tmp_path, "https://cats.example/a", "https://dogs.example/b")
    assert (summary.accounted, summary.fetched, summary.failed) == (2, 1, 1)
    assert len(documents) == len(failures) == 1
    assert next(iter(failures.values())).reason == "no-source"


def test_whatever_is_registered_is_asked_at_once(tmp_path):
    registry = Registry([registration("late", 9, lambda e: True), registration("early", 1, lambda e: "x" in e.url)])
    summary, documents, _ = run(registry, tmp_path, "https://x.test/1", "https://y.test/2")
    assert {d.source for d in documents.values()} == {"early", "late"}
    assert set(summary.by_source) == {"early", "late"}


def test_a_source_that_was_not_built_is_the_failure_of_its_entries(tmp_path):
    registry = Registry([registration("cats", 1, lambda e: True)])
    summary, documents, failures = run(registry, tmp_path, "https://cats.example/a", sources={})
    assert (summary.accounted, summary.failed, len(failures)) == (1, 1, 1)
    assert not documents


@pytest.mark.parametrize("name", ["", "two words", "a-b"])
def test_a_source_without_a_name_cannot_be_registered(name):
    with pytest.raises(ValueError, match="name"):
        Registry([registration(name, 1, lambda e: True)])


def test_two_sources_of_one_name_or_base_cannot_be_registered():
    one = registration("cats", 1, lambda e: True)
    with pytest.raises(ValueError, match="cats"):
        Registry([one, one])
    with pytest.raises(ValueError, match="base"):
        Registry([one, Registration("dogs", 2, one.takes, one.build, one.bases)])


def test_a_base_address_that_no_source_has_is_named_with_the_nearest(tmp_path):
    registry = Registry([registration("cats", 1, lambda e: True)])
    settings = Settings(bases={"cats_bas": "http://127.0.0.1"})
    with Transport(settings) as transport, pytest.raises(SettingsError, match="cats_bas") as raised:
        registry.build(settings, transport)
    assert "cats_base" in raised.value.hint


def test_base_addresses_come_from_the_environment_and_the_file(tmp_path):
    (tmp_path / "accelrag.toml").write_text('[bases]\npypi = "https://mirror.example/pypi"\n')
    environ = {"ACCELRAG_BASE_HUGGINGFACE": "http://127.0.0.1:1"}
    settings = Settings.load({"home": tmp_path}, environ=environ)
    assert settings.bases == {"pypi": "https://mirror.example/pypi", "huggingface": "http://127.0.0.1:1"}
    with pytest.raises(SettingsError, match="pypi"):
        Settings.load({"home": tmp_path}, environ={"ACCELRAG_BASE_PYPI": "ftp://x"})


def test_every_source_of_the_package_has_its_own_name_and_takes_what_is_its_own():
    names = [registration.name for registration in registered()]
    assert len(names) == len(set(names))
    assert names[-1] == "page"
    (entry,) = entries("https://example.org/anything")
    assert registered().route(entry) == "page"
