"""Package indexes against a server that answers as their documented interfaces do."""

import pytest

from accelrag.errors import FetchFailed
from accelrag.sources.hosts.packages import PackageTarget, package_target
from fake_servers import Reply, Web
from fetch_place import fetch_place, html_reply, json_reply

PYPI = {
    "info": {
        "name": "tinykernels",
        "version": "2.1.0",
        "summary": "Kernels for small chips.",
        "author": "Ada B., Eve C.",
        "description": "Tinykernels\n===========\n\nIt fuses *three* loops into one.\n\nUse\n---\n\nSee below.\n",
        "description_content_type": "text/x-rst",
        "license": "MIT",
        "license_expression": None,
        "home_page": "",
        "project_urls": {"Source": "https://github.com/acme/tinykernels"},
    },
    "urls": [{"upload_time_iso_8601": "2026-03-04T05:06:07.000000Z"}],
}
CRATE = {
    "crate": {
        "name": "burnt",
        "description": "Tensors in Rust.",
        "max_stable_version": "0.9.1",
        "max_version": "1.0.0-rc",
        "updated_at": "2026-02-01T00:00:00Z",
        "repository": "https://github.com/acme/burnt",
        "downloads": 41,
    },
    "versions": [{"num": "1.0.0-rc", "license": "MIT"}, {"num": "0.9.1", "license": "Apache-2.0"}],
}
NPM = {
    "name": "@acme/wires",
    "description": "Wires on the web.",
    "dist-tags": {"latest": "3.0.0"},
    "license": "ISC",
    "readme": "# Wires\n\nWires run models in a browser.",
    "readmeFilename": "README.md",
    "time": {"3.0.0": "2025-05-06T00:00:00.000Z"},
    "author": {"name": "Ada B."},
    "repository": {"type": "git", "url": "git+https://github.com/acme/wires.git"},
}
DESCRIPTION = """Package: rchips
Title: Chips in R
Version: 0.3-1
Authors@R: person("Ada", "B.")
Author: Ada B. [aut, cre] (<https://orcid.org/0000>), Eve C. [ctb]
Description: Plans arrays of multipliers
    from a data frame.
License: GPL-3
URL: https://rchips.example, https://github.com/acme/rchips
Date/Publication: 2024-07-08 10:00:02 UTC
"""
CONDA = {
    "name": "tinysim",
    "summary": "A simulator.",
    "description": "# tinysim\n\nIt counts cycles.",
    "license": "BSD-3-Clause",
    "latest_version": "1.2",
    "modified_at": "2025-09-09T01:01:01.000000+00:00",
    "home": "https://tinysim.example",
    "dev_url": "https://github.com/acme/tinysim",
    "owner": {"login": "conda-forge"},
}


@pytest.fixture
def web():
    with Web() as web:
        yield web


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://pypi.org/project/tiny-kernels/", PackageTarget("pypi", "tiny-kernels")),
        ("https://pypi.python.org/pypi/tinykernels/2.0", PackageTarget("pypi", "tinykernels")),
        ("https://crates.io/crates/burnt/0.9.1", PackageTarget("crates", "burnt")),
        ("https://www.npmjs.com/package/@acme/wires", PackageTarget("npm", "@acme/wires")),
        ("https://www.npmjs.com/package/wires", PackageTarget("npm", "wires")),
        ("https://cran.r-project.org/web/packages/rchips/index.html", PackageTarget("cran", "rchips")),
        ("https://cran.r-project.org/package=rchips", PackageTarget("cran", "rchips")),
        ("https://CRAN.R-project.org/?package=rchips", PackageTarget("cran", "rchips")),
        ("https://anaconda.org/conda-forge/tinysim", PackageTarget("anaconda", "conda-forge/tinysim")),
        ("https://pypi.org/user/acme/", None),
        ("https://crates.io/keywords/gpu", None),
        ("https://anaconda.org/conda-forge", None),
        ("https://example.org/project/tinykernels", None),
    ],
)
def test_a_link_names_a_package_or_none(url, target):
    assert package_target(url) == target


def test_pypi_gives_the_readme_in_its_own_markup_after_the_summary(web):
    web.sites["/pypi/tinykernels/json"] = json_reply(PYPI)
    made = fetch_place(web, "packages", "https://pypi.org/project/tinykernels/")
    assert made.text.startswith("Kernels for small chips.\n\n# Tinykernels")
    assert "fuses *three* loops" in made.text
    assert (made.licence, made.published, made.authors) == ("MIT", "2026-03-04", ("Ada B.", "Eve C."))
    assert made.metadata["repository"] == "https://github.com/acme/tinykernels"
    assert (made.metadata["version"], made.coverage) == ("2.1.0", "readme")


def test_a_licence_that_is_a_whole_text_is_no_licence_name(web):
    web.sites["/pypi/tinykernels/json"] = json_reply(
        {**PYPI, "info": {**PYPI["info"], "license": "Permission " * 40}}
    )
    assert fetch_place(web, "packages", "https://pypi.org/project/tinykernels/").licence == ""


def test_a_crate_gives_the_readme_of_its_newest_stable_version_and_that_version_s_licence(web):
    web.sites["/api/v1/crates/burnt"] = json_reply(CRATE)
    web.sites["/api/v1/crates/burnt/0.9.1/readme"] = html_reply("<h1>Burnt</h1>\n<p>Burnt fuses <em>graphs</em>.</p>")
    made = fetch_place(web, "packages", "https://crates.io/crates/burnt")
    assert made.text == "Tensors in Rust.\n\n# Burnt\n\nBurnt fuses graphs."
    assert (made.licence, made.metadata["version"], made.metadata["downloads"]) == ("Apache-2.0", "0.9.1", "41")


def test_a_crate_without_a_readme_gives_its_description(web):
    web.sites["/api/v1/crates/burnt"] = json_reply(CRATE)
    assert fetch_place(web, "packages", "https://crates.io/crates/burnt").text == "Tensors in Rust."


def test_a_scoped_npm_package_gives_its_readme(web):
    web.sites["/@acme/wires"] = json_reply(NPM)
    made = fetch_place(web, "packages", "https://www.npmjs.com/package/@acme/wires")
    assert made.text.endswith("# Wires\n\nWires run models in a browser.")
    assert (made.metadata["repository"], made.published) == ("https://github.com/acme/wires", "2025-05-06")


def test_an_npm_package_with_too_many_versions_gives_what_its_latest_says(web):
    web.sites["/wires"] = Reply(200, b"{" + b" " * 5_100_000, {"content-type": "application/json"})
    web.sites["/wires/latest"] = json_reply(
        {"name": "wires", "version": "9.0.0", "description": "Wires, all of them."}
    )
    made = fetch_place(web, "packages", "https://www.npmjs.com/package/wires")
    assert (made.text, made.metadata["version"]) == ("Wires, all of them.", "9.0.0")


def test_cran_gives_title_and_description_then_the_readme(web):
    web.sites["/web/packages/rchips/DESCRIPTION"] = Reply(200, DESCRIPTION.encode(), {"content-type": "text/plain"})
    web.sites["/web/packages/rchips/readme/README.html"] = html_reply("<h1>rchips</h1><p>Start with a frame.</p>")
    made = fetch_place(web, "packages", "https://cran.r-project.org/web/packages/rchips/")
    assert made.text.startswith("Chips in R. Plans arrays of multipliers from a data frame.")
    assert "Start with a frame." in made.text
    assert (made.licence, made.authors, made.published) == ("GPL-3", ("Ada B.", "Eve C."), "2024-07-08")
    assert made.metadata["homepage"] == "https://rchips.example"


def test_anaconda_gives_the_description_of_a_channel_s_package(web):
    web.sites["/package/conda-forge/tinysim"] = json_reply(CONDA)
    made = fetch_place(web, "packages", "https://anaconda.org/conda-forge/tinysim")
    assert made.text == "A simulator.\n\n# tinysim\n\nIt counts cycles."
    assert (made.title, made.licence, made.metadata["version"]) == ("tinysim", "BSD-3-Clause", "1.2")


@pytest.mark.parametrize(
    "url",
    [
        "https://pypi.org/project/none/",
        "https://crates.io/crates/none",
        "https://www.npmjs.com/package/none",
        "https://cran.r-project.org/package=none",
        "https://anaconda.org/acme/none",
    ],
)
def test_a_package_that_is_not_there_says_so(web, url):
    with pytest.raises(FetchFailed) as raised:
        fetch_place(web, "packages", url)
    assert raised.value.reason == "not-found"


@pytest.mark.parametrize("answer", [{}, {"info": None}, {"info": {"name": 5, "description": []}, "urls": "x"}])
def test_an_answer_of_another_shape_is_no_text(web, answer):
    web.sites["/pypi/odd/json"] = json_reply(answer)
    with pytest.raises(FetchFailed) as raised:
        fetch_place(web, "packages", "https://pypi.org/project/odd/")
    assert raised.value.reason == "no-readme"
