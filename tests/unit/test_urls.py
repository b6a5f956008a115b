"""Canonical addresses: what is one resource, what stays two, and ids that depend on nothing else."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from accelrag.listing import canonical_url, entry_id, link_class

ONE_RESOURCE = {
    "arXiv in every form": (
        "https://arxiv.org/abs/1706.03762",
        "http://arxiv.org/abs/1706.03762v5",
        "https://www.arxiv.org/pdf/1706.03762",
        "https://arxiv.org/pdf/1706.03762.pdf",
        "https://arxiv.org/pdf/1706.03762v7.pdf",
        "https://arxiv.org/html/1706.03762v7",
        "https://export.arxiv.org/abs/1706.03762",
        "https://ar5iv.org/abs/1706.03762",
        "https://ar5iv.labs.arxiv.org/html/1706.03762",
        "https://www.alphaxiv.org/abs/1706.03762",
        "https://arxiv.org/abs/1706.03762?context=cs.LG",
        "https://arxiv.org/abs/1706.03762#",
        "https://doi.org/10.48550/arXiv.1706.03762",
        "https://arxiv.org/abs/1706.03762/",
    ),
    "old arXiv identifiers": (
        "https://arxiv.org/abs/math/0309136",
        "https://arxiv.org/abs/math.GT/0309136v1",
        "http://arxiv.org/pdf/math/0309136.pdf",
    ),
    "DOI": (
        "https://doi.org/10.1145/1498765.1498785",
        "http://dx.doi.org/10.1145/1498765.1498785",
        "https://www.doi.org/10.1145/1498765.1498785",
        "https://dl.acm.org/doi/10.1145/1498765.1498785",
        "https://dl.acm.org/doi/abs/10.1145/1498765.1498785",
        "https://dl.acm.org/doi/pdf/10.1145/1498765.1498785",
    ),
    "DOI with letters": (
        "https://doi.org/10.2200/S00309ED1V01Y201011CAC012",
        "https://doi.org/10.2200/s00309ed1v01y201011cac012",
        "https://doi.org/10.2200%2FS00309ED1V01Y201011CAC012",
    ),
    "GitHub repositories": (
        "https://github.com/NVIDIA/cutlass",
        "http://github.com/nvidia/CUTLASS/",
        "https://www.github.com/NVIDIA/cutlass.git",
        "https://github.com/NVIDIA/cutlass#readme",
        "https://github.com/NVIDIA/cutlass?tab=readme-ov-file#install",
        "git+https://github.com/NVIDIA/cutlass".removeprefix("git+"),
    ),
    "scheme, www, port, slash, case of the host, tracking": (
        "https://example.com/Page",
        "http://example.com/Page",
        "HTTPS://WWW.Example.COM:443/Page/",
        "http://example.com:80/Page",
        "//example.com/Page",
        "https://example.com/Page?utm_source=x&utm_medium=y",
        "https://example.com/Page?fbclid=1&gclid=2&ref=list",
        "https://example.com/Page#section",
        "https://example.com./Page",
        " https://example.com/Page\n",
        "https://example.com/P%61ge",
    ),
    "a video": (
        "https://www.youtube.com/watch?v=abcDEF12345",
        "https://youtu.be/abcDEF12345?si=tracking",
        "https://m.youtube.com/watch?v=abcDEF12345&t=30",
    ),
    "letters beyond ASCII": ("https://例え.example/頁", "https://xn--r8jz45g.example/%E9%A0%81"),
}


@pytest.mark.parametrize("spellings", ONE_RESOURCE.values(), ids=ONE_RESOURCE.keys())
def test_spellings_of_one_resource_share_a_key(spellings):
    assert len({canonical_url(url) for url in spellings}) == 1
    assert None not in {canonical_url(url) for url in spellings}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://arxiv.org/abs/1706.03762", "https://arxiv.org/abs/1706.03763"),
        ("https://arxiv.org/list/cs.LG/recent", "https://arxiv.org/list/cs.AR/recent"),
        ("https://github.com/NVIDIA/cutlass", "https://github.com/NVIDIA/cutlass/blob/main/docs/cute.md"),
        ("https://github.com/a/b/blob/main/README.md", "https://github.com/a/b/blob/main/readme.md"),
        ("https://github.com/a/b/tree/main/x", "https://github.com/a/b/tree/main/y"),
        ("https://github.com/a/b", "https://github.com/a/c"),
        ("https://example.com/Page", "https://example.com/page"),
        ("https://example.com/?id=1", "https://example.com/?id=2"),
        ("https://example.com:8080/", "https://example.com/"),
        ("https://app.example/#/one", "https://app.example/#/two"),
        ("https://app.example/#!one", "https://app.example/#!two"),
        ("https://docs.example.com/", "https://example.com/"),
        ("https://www.youtube.com/watch?v=abc", "https://www.youtube.com/watch?v=ABC"),
    ],
)
def test_different_resources_keep_different_keys(one, other):
    assert canonical_url(one) != canonical_url(other)


def test_keys_have_the_form_that_sources_expect():
    assert canonical_url("https://ar5iv.org/html/2309.06180v1") == "https://arxiv.org/abs/2309.06180"
    assert canonical_url("http://dx.doi.org/10.1145/ABC") == "https://doi.org/10.1145/abc"
    assert canonical_url("http://www.GitHub.com/Dao-AILab/Flash-Attention/") == (
        "https://github.com/dao-ailab/flash-attention"
    )


@pytest.mark.parametrize(
    ("href", "reason"),
    [
        ("#contents", "in-page link"),
        ("docs/more.md", "relative link"),
        ("/root/relative", "relative link"),
        ("", "empty link"),
        ("mailto:a@b.example", "mail address"),
        ("javascript:alert(1)", "javascript: link"),
        ("ftp://files.example/x", "ftp: link"),
        ("http://", "broken address"),
        ("http://[::1", "broken address"),
        ("https://host:port/", "broken address"),
        ("https://a b.example", "external"),  # white space inside an address is dropped, as browsers do
        ("HTTP://EXAMPLE.COM", "external"),
        ("http://127.0.0.1:8000/x", "external"),
        ("http://[::1]:8000/x", "external"),
    ],
)
def test_links_that_do_not_lead_out_say_why(href, reason):
    assert link_class(href) == reason
    assert (canonical_url(href) is not None) == (reason == "external")


@given(st.text())
def test_any_text_has_a_class_and_never_raises(text):
    assert link_class(text)


def any_address():
    part = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
    return st.builds(
        "{}://{}/{}?{}#{}".format,
        st.sampled_from(["http", "https", "HTTPS"]),
        st.sampled_from(
            ["a.example", "www.b.example", "github.com", "arxiv.org", "doi.org", "youtu.be", "C.Example:443"]
        ),
        part,
        part,
        part,
    )


@given(any_address())
@example("http://youtu.be/&?#")
@example("http://youtu.be/?a=b")
def test_a_key_is_its_own_key(url):
    key = canonical_url(url)
    assert key is not None
    assert canonical_url(key) == key


@given(any_address())
def test_ids_are_short_safe_and_depend_on_the_key_alone(url):
    key = canonical_url(url)
    assert re.fullmatch(r"[a-z0-9.-]{1,48}-[0-9a-f]{6}", entry_id(key))
    assert entry_id(key) == entry_id(canonical_url(key))


def test_ids_are_the_ones_that_other_runs_made():
    assert entry_id("https://arxiv.org/abs/1706.03762") == "arxiv.org-abs-1706.03762-a7468c"
