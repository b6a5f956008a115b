"""Text becomes HTML that shows it, links lead to the web only, copies are what was read."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelrag.pipeline import EntryDetail
from accelrag.types import Answer, Citation, Document, Entry, Place, Sentence
from accelrag.ui.copying import answer_bibtex, answer_markdown
from accelrag.ui.escape import prose, shorten, text
from accelrag.ui.evidence import COVERAGE
from accelrag.ui.links import source_link, web_link
from accelrag.ui.rendering import render
from accelrag.ui.turn import Asked, failed

ENTRY = Entry("id", "key", "https://example.org/p", "paper", (Place("A [Title]", ("One", "Two"), "A note."),))


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def read(html: str) -> _Tags:
    parser = _Tags()
    parser.feed(html)
    parser.close()
    return parser


def linked(url: str, title: str) -> str:
    entry = Entry("id", "key", url, "paper", (Place(title, ("One",), ""),))
    shown = EntryDetail(entry, "note", (), None)
    return render("entry.html", shown=shown, documents=[], why="", near=[], levels=COVERAGE, most=1)


hostile = st.text() | st.lists(
    st.sampled_from(["<", ">", '"', "'", "&", "script", "[a](b)", "**", "`", "${", "{{", "onload=", "\u202e"])
).map("".join)


@given(hostile)
def test_text_is_shown_and_never_markup(value: str) -> None:
    assert read(text(value)).tags == []
    assert read(f'<p title="{text(value)}">').tags == ["p"]
    assert set(read(prose(value)).tags) <= {"strong", "code"}


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126)))
def test_ordinary_text_is_shown_as_it_is(value: str) -> None:
    assert read(f"<p>{text(value)}</p>").text == value


def test_characters_that_turn_the_reading_direction_are_made_visible() -> None:
    assert text("a\u202eb\u2066c\x00d\ud800") == "a\ufffdb\ufffdc\ufffdd\ufffd"
    assert text("שלום\u200f") == "שלום\u200f"


@given(st.text(), st.integers(1, 30))
def test_a_shortened_text_is_no_longer_than_asked(value: str, limit: int) -> None:
    assert len(shorten(value, limit)) <= limit


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        " javascript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "//example.org",
        "https://",
        "https:\\\\example.org",
        "http://exa mple.org",
        "vbscript:x",
        "",
        "http://[::1",
    ],
)
def test_what_is_no_web_address_gives_no_link(url: str) -> None:
    assert web_link(url) == ""
    assert "a" not in read(linked(url, "label")).tags


def test_a_link_opens_apart_and_tells_nothing() -> None:
    made = linked('https://example.org/?a="b', "<b>")
    assert 'rel="noopener noreferrer nofollow"' in made
    assert 'target="_blank"' in made
    assert "a" in read(made).tags


@given(hostile)
def test_a_template_shows_each_value_as_text(value: str) -> None:
    plain = read(failed(Asked("1", "Why?"), "No", "Wait")).tags
    assert read(failed(Asked(value, value), value or "No", value or "Wait")).tags == plain
    assert "\u202e" not in failed(Asked("1", f"\u202e{value}"), value)


def cited(
    quote: str, *, document: str = "text:id", coverage: str = "page", page: int = 0, source: str = ""
) -> Citation:
    return Citation(1, ENTRY, coverage, document, quote, 0, len(quote), page, source)  # type: ignore[arg-type]


def test_a_quote_of_a_page_opens_at_its_text() -> None:
    long = "Waste falls from 70% to less than 4% of the memory, at once - and stays there for ever"
    link = source_link(cited(long, source="https://example.org/p#top"), None)
    assert link == "https://example.org/p#:~:text=Waste%20falls%20from%2070%25%20to,and%20stays%20there%20for%20ever"
    short = source_link(cited("A well-known **fact**, [linked](https://x.org)."), None)
    assert short == "https://example.org/p#:~:text=A%20well%2Dknown%20fact%2C%20linked."


def test_a_quote_of_a_pdf_opens_at_its_page() -> None:
    link = source_link(cited("Some words.", coverage="full", page=7, source="https://example.org/p.pdf"), None)
    assert link == "https://example.org/p.pdf#page=7"


def test_the_lists_own_words_open_the_source_at_its_top() -> None:
    assert source_link(cited("A note.", document="note:id"), None) == "https://example.org/p"


def test_a_raw_or_api_source_opens_the_page_that_people_read() -> None:
    document = Document("text:id", "id", "Some words.", "readme")
    link = source_link(cited("Some words.", source="https://raw.example.org/x/README.md"), document)
    assert link.startswith("https://example.org/p#:~:text=")


def answer() -> Answer:
    citation = cited("Waste falls.", source="https://example.org/p")
    return Answer(
        question="What falls?",
        answer="Waste falls [1]. It says a[7] too [1].",
        refused=False,
        reason="",
        sentences=(Sentence("Waste falls.", (1,), 1.0, "supported"),),
        citations=(citation,),
        rejections=(),
        also=(),
        support=1.0,
        model="extractive",
    )


def test_markdown_has_a_footnote_for_each_citation_and_touches_nothing_else() -> None:
    copied = answer_markdown(answer())
    assert "Waste falls[^1]. It says a[7] too[^1]." in copied
    assert "[^1]: [A \\[Title\\]](<https://example.org/p>): “Waste falls.”" in copied


def test_bibtex_takes_authors_from_the_source() -> None:
    known = {"text:id": Document("text:id", "id", "x", "page", title="A", authors=("Ada Example",), published="2024")}
    copied = answer_bibtex(answer(), known.get)
    assert "author = {Ada Example}" in copied
    assert "year = {2024}" in copied
