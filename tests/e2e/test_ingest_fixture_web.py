"""The default list against the recorded abstracts and READMEs, behind servers that behave like the real ones."""

import os
from pathlib import Path

import pytest

from accelrag import ingest
from accelrag.corpus import Corpus
from accelrag.listing import parse
from accelrag.settings import Settings
from accelrag.sources import REASONS
from accelrag.sources.pdf import read_pdf
from accelrag.transport import Transport
from fake_servers import Web
from fake_time import FakeTime
from serve_fixture_web import fill

SHARED = Path(os.environ.get("ACCELRAG_SHARED", "/nonexistent"))
LIST = Path(__file__).parents[2] / "corpus" / "awesome-ai-accelerators.md"
pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not SHARED.is_dir(), reason="ACCELRAG_SHARED names no folder"),
]


def nowhere(host, port):
    if host == "127.0.0.1":
        return [host]
    raise OSError("no network in this test")


def test_the_default_list_ends_with_every_entry_accounted_for(tmp_path):
    found = parse(LIST.read_text(encoding="utf-8"), name="default").entries
    fake = FakeTime()
    with fill(Web(), SHARED / "web") as web:
        settings = Settings(**web.settings)
        with (
            Transport(settings, clock=fake.clock, sleep=fake.sleep, resolve=nowhere) as transport,
            Corpus.open(tmp_path) as corpus,
        ):
            summary = ingest.fetch(found, corpus, settings, transport=transport, clock=fake.clock)
            assert summary.total == summary.accounted == 226
            assert len(corpus.digests()) + len(corpus.failures()) == 226
            assert not set(corpus.digests()) & set(corpus.failures())
            assert (summary.fetched, summary.note_only) == (99, 9)
            assert set(summary.reasons) <= set(REASONS)
            assert corpus.problems() == []
            assert len(web.asked("/arxiv/")) == 1
            abstracts = [d for d in corpus.documents() if d.coverage == "abstract"]
            assert len(abstracts) == 54
            assert all(d.title and d.authors and d.metadata["eprint"] for d in abstracts)
            readmes = [d for d in corpus.documents() if d.coverage == "readme"]
            assert len(readmes) == 45
            assert not [d.source for d in readmes if "<!--" in d.text and "```" not in d.text]
            renamed = next(d for d in readmes if d.metadata["repository"] == "deepspeedai/DeepSpeed")
            assert renamed.text
            again = ingest.fetch(found, corpus, settings, transport=transport, clock=fake.clock)
            assert (again.fetched, again.fresh) == (0, 99)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("akamai-network-word2007", "61,000 servers located across nearly 1,000 networks in 70 countries"),
        ("batchnorm-icml2015", "Training Deep Neural Networks is complicated by the fact that the distribution"),
        ("deepspeed-overview-japanese-slides", "深層学習"),
        ("gpumode-composable-kernel-slides", "Composable Kernel"),
        (
            "llmcompass-ae-appendix",
            "illustrates how to utilize the proposed LLMCompass framework",
        ),
        ("scale-sim-paper", "Systolic Arrays are one of the most popular compute substrates"),
        ("tinygrad-tinyspec", "A UOp is a tuple (op, src, arg, tag)"),
        ("flajolet-1985-scanned", "scanned"),
        ("okapi-trec3-broken-words", "garbled"),
        ("therac25-garbled-type3", "garbled"),
    ],
)
def test_real_pdfs_give_the_right_text_or_the_right_reason(name, said):
    from accelrag.errors import FetchFailed

    body = (SHARED / "pdfs" / f"{name}.pdf").read_bytes()
    try:
        read = read_pdf(body, pages=12)
    except FetchFailed as failed:
        assert failed.reason == said  # noqa: PT017 - either outcome is named in the table
        return
    assert said in read.text
    assert len(read.pages) <= 12
    assert list(read.pages) == sorted(read.pages)


def test_the_large_collection_imports_whole(tmp_path):
    with Corpus.open(tmp_path) as corpus:
        summary = ingest.import_jsonl(SHARED / "abstracts" / "abstracts.jsonl.gz", corpus)
        assert (summary.total, summary.failed) == (27_941, 0)
        assert corpus.problems() == []
