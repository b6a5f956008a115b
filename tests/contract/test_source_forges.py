"""GitLab, Codeberg, Bitbucket and SourceForge against a server that answers as their documented interfaces do."""

import pytest

from accelrag.errors import FetchFailed
from accelrag.sources import Unchanged
from accelrag.sources.hosts.forges import ForgeTarget, forge_target
from fake_servers import Reply, Web
from fetch_place import fetch_place, json_reply

README = "# Tiny\n\nTiny plans arrays. See [the guide](docs/guide.md)."
GITLAB = {
    "path_with_namespace": "acme/tools/tiny",
    "description": "Arrays.",
    "default_branch": "main",
    "star_count": 7,
    "readme_url": "https://gitlab.com/acme/tools/tiny/-/blob/main/README.md",
    "topics": ["asic"],
    "archived": False,
    "license": {"key": "mit"},
    "last_activity_at": "2026-05-06T00:00:00.000Z",
}
CODEBERG = {
    "full_name": "acme/tiny",
    "description": "Arrays.",
    "stars_count": 3,
    "archived": True,
    "licenses": ["GPL-3.0-only"],
    "updated_at": "2025-01-02T00:00:00Z",
    "topics": [],
}
BITBUCKET = {
    "full_name": "acme/tiny",
    "description": "Arrays.",
    "mainbranch": {"name": "master"},
    "language": "python",
    "updated_on": "2019-01-02T00:00:00+00:00",
}
SOURCEFORGE = {
    "shortname": "tiny",
    "name": "Tiny",
    "summary": "Plans arrays",
    "short_description": "Tiny plans systolic arrays.",
    "creation_date": "2005-06-07",
    "external_homepage": "https://tiny.example",
    "categories": {"license": [{"fullname": "MIT License", "shortname": "mit"}]},
}


@pytest.fixture
def web():
    with Web() as web:
        yield web


def text(body):
    return Reply(200, body.encode(), {"content-type": "text/plain; charset=utf-8", "etag": '"1"'})


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://gitlab.com/acme/tools/tiny", ForgeTarget("gitlab", "acme/tools/tiny")),
        ("https://gitlab.com/acme/tiny/-/tree/main", ForgeTarget("gitlab", "acme/tiny")),
        ("https://gitlab.com/acme/tiny.git", ForgeTarget("gitlab", "acme/tiny")),
        ("https://codeberg.org/acme/tiny/src/branch/main", ForgeTarget("codeberg", "acme/tiny")),
        ("https://bitbucket.org/acme/tiny/src/master/", ForgeTarget("bitbucket", "acme/tiny")),
        ("https://sourceforge.net/projects/tiny/files/", ForgeTarget("sourceforge", "tiny")),
        ("https://tiny.sourceforge.net/", ForgeTarget("sourceforge", "tiny")),
        ("https://tiny.sourceforge.net/manual.html", None),
        ("https://gitlab.com/acme/tiny/-/issues/3", None),
        ("https://gitlab.com/explore/projects", None),
        ("https://codeberg.org/acme", None),
        ("https://bitbucket.org/acme/tiny/issues", None),
        ("https://example.org/acme/tiny", None),
    ],
)
def test_a_link_names_a_project_or_none(url, target):
    assert forge_target(url) == target


def test_gitlab_gives_the_readme_that_it_names_with_its_metadata(web):
    web.sites["/api/v4/projects/acme/tools/tiny"] = json_reply(GITLAB)
    web.sites["/api/v4/projects/acme/tools/tiny/repository/files/README.md/raw"] = text(README)
    made = fetch_place(web, "forges", "https://gitlab.com/acme/tools/tiny")
    assert (
        made.text == "# Tiny\n\nTiny plans arrays. See [the guide](https://gitlab.com/acme/tools/tiny/docs/guide.md)."
    )
    assert (made.title, made.licence, made.coverage) == ("acme/tools/tiny", "mit", "readme")
    assert (made.metadata["stars"], made.metadata["pushed_at"], made.metadata["topics"]) == (
        "7",
        "2026-05-06",
        "asic",
    )


def test_codeberg_gives_the_first_readme_that_is_there(web):
    web.sites["/api/v1/repos/acme/tiny"] = json_reply(CODEBERG)
    web.sites["/api/v1/repos/acme/tiny/raw/README.rst"] = text("Tiny\n====\n\nTiny plans arrays.\n")
    made = fetch_place(web, "forges", "https://codeberg.org/acme/tiny")
    assert made.text == "# Tiny\n\nTiny plans arrays."
    assert (made.licence, made.metadata["archived"]) == ("GPL-3.0-only", "yes")


def test_bitbucket_reads_from_its_main_branch(web):
    web.sites["/2.0/repositories/acme/tiny"] = json_reply(BITBUCKET)
    web.sites["/2.0/repositories/acme/tiny/src/master/README.md"] = text("# Tiny\n\nTiny plans arrays.")
    made = fetch_place(web, "forges", "https://bitbucket.org/acme/tiny")
    assert (made.text, made.metadata["language"]) == ("# Tiny\n\nTiny plans arrays.", "python")


def test_sourceforge_gives_its_description_and_licence(web):
    web.sites["/rest/p/tiny"] = json_reply(SOURCEFORGE)
    made = fetch_place(web, "forges", "https://sourceforge.net/projects/tiny/")
    assert (made.text, made.licence) == ("Plans arrays\n\nTiny plans systolic arrays.", "MIT License")


def test_a_project_without_a_readme_gives_its_description_and_without_both_says_so(web):
    web.sites["/2.0/repositories/acme/tiny"] = [json_reply(BITBUCKET), json_reply({**BITBUCKET, "description": ""})]
    assert fetch_place(web, "forges", "https://bitbucket.org/acme/tiny").text == "Arrays."
    with pytest.raises(FetchFailed) as raised:
        fetch_place(web, "forges", "https://bitbucket.org/acme/tiny")
    assert raised.value.reason == "no-readme"


def test_a_project_that_is_not_there_says_so(web):
    with pytest.raises(FetchFailed) as raised:
        fetch_place(web, "forges", "https://gitlab.com/acme/none")
    assert raised.value.reason == "not-found"


def test_an_unchanged_readme_keeps_its_text(web):
    web.sites["/api/v1/repos/acme/tiny"] = json_reply(CODEBERG)
    web.sites["/api/v1/repos/acme/tiny/raw/README.md"] = lambda asked: (
        Reply(304) if asked.headers.get("if-none-match") == '"1"' else text(README)
    )
    known = fetch_place(web, "forges", "https://codeberg.org/acme/tiny")
    assert isinstance(fetch_place(web, "forges", "https://codeberg.org/acme/tiny", known=known), Unchanged)
