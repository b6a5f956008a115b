import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelrag.listing import parse
from accelrag.sources import registered
from accelrag.sources.hosts.arxiv import arxiv_id
from accelrag.sources.identifiers import identifier
from accelrag.sources.targets import Target, github_target


@pytest.mark.parametrize(
    ("url", "id_"),
    [
        ("https://arxiv.org/abs/2309.06180", "2309.06180"),
        ("http://arxiv.org/abs/2309.06180v3", "2309.06180"),
        ("https://arxiv.org/pdf/2309.06180v1.pdf", "2309.06180"),
        ("https://arxiv.org/pdf/0704.0001", "0704.0001"),
        ("https://ar5iv.labs.arxiv.org/html/2309.06180", "2309.06180"),
        ("https://www.alphaxiv.org/abs/2309.06180", "2309.06180"),
        ("https://export.arxiv.org/abs/astro-ph/0601001v2", "astro-ph/0601001"),
        ("https://arxiv.org/abs/math.GT/0309136", "math.GT/0309136"),
        ("https://doi.org/10.48550/arXiv.2309.06180", "2309.06180"),
        ("https://arxiv.org/abs/abc", "abc"),
        ("https://arxiv.org/list/cs.AR/recent", None),
        ("https://notarxiv.org/abs/2309.06180", None),
        ("https://example.org/abs/2309.06180", None),
    ],
)
def test_an_arxiv_link_in_any_form_gives_its_identifier(url, id_):
    assert arxiv_id(url) == id_


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://github.com/o/r", Target("repository", "o", "r")),
        ("https://www.github.com/o/r.git", Target("repository", "o", "r")),
        ("https://github.com/o/r/tree/main", Target("repository", "o", "r", "main")),
        ("https://github.com/o/r/tree/main/a/b", Target("folder", "o", "r", "main", "a/b")),
        ("https://github.com/o/r/blob/v1/docs/x.md", Target("file", "o", "r", "v1", "docs/x.md")),
        ("https://raw.githubusercontent.com/o/r/main/x.md", Target("file", "o", "r", "main", "x.md")),
        ("https://gist.github.com/o/abc123", Target("gist", "o", "abc123")),
        ("https://github.com/o", None),
        ("https://github.com/topics/gpu", None),
        ("https://github.com/o/r/wiki", None),
        ("https://github.com/o/r/issues/5", None),
        ("https://github.com/o/r/blob/main/../../x", None),
        ("https://o.github.io/r", None),
    ],
)
def test_a_github_link_names_a_repository_folder_file_or_gist(url, target):
    assert github_target(url) == target


@pytest.mark.parametrize(
    ("url", "id_"),
    [
        ("https://doi.org/10.1145/3579371.3589350", "doi:10.1145/3579371.3589350"),
        ("https://dl.acm.org/doi/pdf/10.1145/3579371", "doi:10.1145/3579371"),
        ("https://link.springer.com/book/10.1007/978-3-031-01766-7", "doi:10.1007/978-3-031-01766-7"),
        ("https://ieeexplore.ieee.org/document/7738524", "ieee:7738524"),
        ("https://ieeexplore.ieee.org/stamp/stamp.jsp?tp=&arnumber=7738524", "ieee:7738524"),
        ("https://aclanthology.org/2020.acl-main.1/", "doi:10.18653/v1/2020.acl-main.1"),
        ("https://www.usenix.org/conference/osdi22/presentation/yu", "page:"),
        ("https://openreview.net/forum?id=abc", "page:"),
        ("https://www.usenix.org/system/files/osdi22-yu.pdf", None),
        ("https://example.org/10.1145/1", None),
    ],
)
def test_a_scholarly_link_gives_its_identifier(url, id_):
    assert identifier(url) == id_


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://arxiv.org/abs/2309.06180", "arxiv"),
        ("https://github.com/o/r", "github"),
        ("https://github.com/topics/gpu", "page"),
        ("https://doi.org/10.1145/3579371", "scholarly"),
        ("https://www.youtube.com/@channel", "note"),
        ("https://youtu.be/abc", "note"),
        ("https://www.elsevier.com/books/computer-architecture/hennessy/978-0-12-811905-1", "note"),
        ("https://www.amazon.com/dp/0128119055", "note"),
        ("https://example.org/talk.mp4", "note"),
        ("https://example.org/paper.pdf", "page"),
        ("https://docs.nvidia.com/cuda/", "page"),
    ],
)
def test_each_address_has_one_source(url, name):
    (entry,) = parse(f"# L\n\n- [A]({url}) - Note.").entries
    assert registered().route(entry) == name


@given(st.text(max_size=60))
def test_no_address_makes_the_routing_raise(tail):
    for head in ("", "https://arxiv.org/abs/", "https://github.com/", "https://doi.org/", "http://[", "https://x/"):
        arxiv_id(head + tail)
        github_target(head + tail)
        identifier(head + tail)
