"""The GitHub source against an API and a raw host with limits, renames and conditional answers."""

import json
from dataclasses import replace

import pytest

from accelrag.errors import FetchFailed
from accelrag.settings import Settings
from accelrag.sources import Request, Unchanged
from accelrag.sources.hosts.github import GithubSource
from accelrag.transport import Transport
from fake_entries import entries
from fake_servers import Repository, Web, closed_port
from fake_time import FakeTime

WORDS = "It multiplies matrices in 2.5 ms on a small board, which is fast for its size."


@pytest.fixture
def web():
    with Web() as web:
        yield web


@pytest.fixture
def fetch(web):
    def fetch(url, known=None, **settings):
        fake = FakeTime()
        made = Settings(**{**web.settings, **settings})
        with Transport(made, clock=fake.clock, sleep=fake.sleep, random=lambda: 0.0) as transport:
            (request,) = [Request(e, known) for e in entries(url)]
            ((_, outcome),) = next(iter(GithubSource(made, transport).fetch([request])))
        return outcome

    return fetch


@pytest.mark.parametrize(
    "name", ["README.md", "README.markdown", "README.rst", "README.adoc", "README.txt", "README"]
)
@pytest.mark.parametrize("left", [None, 0])
def test_a_readme_of_any_name_is_found_by_api_and_raw_host(web, fetch, name, left):
    web.repositories["Owner/Tool"] = Repository({name: WORDS, "docs/README.md": "Other."}, licence="BSD-3-Clause")
    web.github_left = left
    made = fetch("https://github.com/Owner/Tool")
    assert made.text == WORDS
    assert made.coverage == "readme"
    assert made.title == "Owner/Tool"
    assert made.licence == ("BSD-3-Clause" if left is None else "")


def test_an_api_out_of_reach_leaves_the_raw_host(web, fetch):
    web.repositories["o/r"] = Repository({"README.md": WORDS})
    assert fetch("https://github.com/o/r", github_api=f"http://127.0.0.1:{closed_port()}").text == WORDS


@pytest.mark.parametrize("left", [None, 0])
def test_a_rename_is_followed(web, fetch, left):
    web.repositories["new/name"] = Repository({"README.md": f"{WORDS} See [more](more.md)."})
    web.repositories["old/name"] = Repository(moved_to="new/name")
    web.github_left = left
    made = fetch("https://github.com/old/name")
    assert made.text.startswith(WORDS)
    if left is None:
        assert made.metadata["repository"] == "new/name"
        assert "https://github.com/new/name/blob/HEAD/more.md" in made.text


def test_a_file_link_means_the_file_and_a_folder_link_the_folder(web, fetch):
    web.repositories["o/r"] = Repository(
        {"README.md": "Root.", "docs/a.md": f"# A\n\n{WORDS} [b](b.md)", "src/README.md": f"{WORDS} Folder."}
    )
    file = fetch("https://github.com/o/r/blob/main/docs/a.md")
    assert "# A" in file.text
    assert "https://github.com/o/r/blob/main/docs/b.md" in file.text
    assert fetch("https://github.com/o/r/tree/main/src").text == f"{WORDS} Folder."


def test_a_folder_without_readme_does_not_get_the_root_s(web, fetch):
    web.repositories["o/r"] = Repository({"README.md": "Root.", "src/a.c": "int x;"})
    with pytest.raises(FetchFailed) as failed:
        fetch("https://github.com/o/r/tree/main/src")
    assert failed.value.reason == "no-readme"


def test_source_code_is_kept_as_a_code_block_and_a_notebook_as_text(web, fetch):
    cells = [{"cell_type": "markdown", "source": ["# Title\n", WORDS]}, {"cell_type": "code", "source": "x = 1"}]
    web.repositories["o/r"] = Repository({"a.cu": "__global__ void f() {}", "n.ipynb": json.dumps({"cells": cells})})
    assert fetch("https://github.com/o/r/blob/main/a.cu").text == "```cu\n__global__ void f() {}\n```"
    assert fetch("https://github.com/o/r/blob/main/n.ipynb").text == f"# Title\n{WORDS}\n\n```python\nx = 1\n```"


def test_without_readme_the_description_is_used(web, fetch):
    web.repositories["o/r"] = Repository(description="A simulator of memory.", archived=True)
    made = fetch("https://github.com/o/r")
    assert made.text == "A simulator of memory."
    assert made.metadata["archived"] == "yes"
    assert made.metadata["text_of"] == "description"


@pytest.mark.parametrize(("repository", "reason"), [(Repository(), "no-readme"), (None, "not-found")])
def test_nothing_to_read_is_said_so(web, fetch, repository, reason):
    if repository:
        web.repositories["o/r"] = repository
    with pytest.raises(FetchFailed) as failed:
        fetch("https://github.com/o/r")
    assert failed.value.reason == reason


@pytest.mark.parametrize("left", [None, 0])
def test_an_unchanged_readme_is_not_sent_again(web, fetch, left):
    web.repositories["o/r"] = Repository({"README.md": WORDS})
    web.github_left = left
    made = fetch("https://github.com/o/r")
    assert isinstance(fetch("https://github.com/o/r", known=made), Unchanged)
    web.repositories["o/r"].files["README.md"] = WORDS + " More."
    assert fetch("https://github.com/o/r", known=made).text.endswith("More.")


def test_a_revision_of_one_host_is_not_shown_to_the_other(web, fetch):
    web.repositories["o/r"] = Repository({"README.md": WORDS})
    made = fetch("https://github.com/o/r")
    web.github_left = 0
    fetch("https://github.com/o/r", known=replace(made, revision=made.revision))
    assert all("if-none-match" not in a.headers for a in web.asked("/raw/"))


def test_the_token_goes_to_the_api_and_nowhere_else(web, fetch):
    web.repositories["o/r"] = Repository({"README.md": WORDS})
    web.github_left = 1
    fetch("https://github.com/o/r", github_token="t0ken")
    fetch("https://github.com/o/r", github_token="t0ken")
    assert all(a.headers["authorization"] == "Bearer t0ken" for a in web.asked("/github/"))
    assert web.asked("/raw/")
    assert all("authorization" not in a.headers for a in web.asked("/raw/"))


def test_a_used_up_limit_is_asked_once(web, fetch):
    web.github_left = 0
    web.repositories["o/r"] = Repository({"README.md": WORDS})
    fetch("https://github.com/o/r")
    assert len(web.asked("/github/")) == 1


def test_a_gist_is_its_files(web, fetch):
    web.gists["abc123"] = {
        "description": "Notes",
        "owner": {"login": "ada"},
        "files": {"n.md": {"content": f"# N\n\n{WORDS}"}},
    }
    made = fetch("https://gist.github.com/ada/abc123")
    assert (made.text, made.title, made.authors) == (f"# N\n\n{WORDS}", "Notes", ("ada",))


def test_a_binary_file_is_no_text(web, fetch):
    web.repositories["o/r"] = Repository({"x.bin": b"\x7fELF\x00\x00\x01"})
    with pytest.raises(FetchFailed) as failed:
        fetch("https://github.com/o/r/blob/main/x.bin")
    assert failed.value.reason == "unsupported-type"
