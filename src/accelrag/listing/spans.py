"""Neighbouring runs with one link -> spans, and how their text is read: collapsed, tidied, generic or not."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from accelrag.listing.tree import Link, Run
from accelrag.listing.urls import canonical_url

__all__ = ["EDGE", "SHORTCODE", "WORD", "Span", "is_generic", "plain", "spans_of", "tidy"]

EDGE = " \t\r\n-\u2010\u2011\u2012\u2013\u2014\u2015|:\uff1a\uff0c,;\u3001\u00b7\u2022\u00a0\u200b\ufeff"
_SPACE = re.compile(r"\s+")
_EMPTY_BRACKETS = re.compile(r"\(\s*(?:[,;/|&+-]\s*)*\)|\[\s*(?:[,;/|&+-]\s*)*\]|\uff08\s*\uff09|\u3010\s*\u3011")
_BEFORE_STOP = re.compile(r"\s+([,.;:!?)\]\u3002\uff0c])(?=\s|$)")
_LEADING_STOP = re.compile(r"^(?:[.!](?=\s|$)|[)\]])+\s*")  # but not that of ".NET"
_LEFT_OVER = re.compile(r"\s[-\u2013\u2014]\s?\.?$")
SHORTCODE = re.compile(r"(?<![\w:]):[a-z][a-z0-9_+-]{1,40}:(?![\w:])")
WORD = re.compile(r"[^\W_]")
_BADGE = re.compile(
    r"shields\.io|badge|travis-ci|circleci\.com|codecov\.io|coveralls\.io|goreportcard|appveyor|/actions/workflows/|"
    r"sonarcloud\.io|codacy\.com|snyk\.io|deps\.rs|david-dm\.org|gitter\.im|isitmaintained|bestpractices\.dev|"
    r"coverity\.com|cirrus-ci|star-history|/workflows/",
    re.IGNORECASE,
)
_GENERIC = frozenset(
    """
    paper|papers|pdf|code|link|links|here|website|web|site|homepage|home page|home|github|gitlab|repo|repository|arxiv
    project|project page|slides|slide|video|videos|blog|blog post|docs|doc|documentation|demo|url|source|source code
    src|download|model|models|weights|data|dataset|datasets|page|poster|talk|abs|html|openreview|supp|supplementary
    appendix|web-page|webpage|article|post|official|official code|official website|huggingface|hugging face|hf|colab
    notebook|youtube|bilibili|bibtex|reference|wiki|meta|more|read|read more|pytorch code|tensorflow code|paper link
    code link|github repo|github link|website link|论文|代码|链接|地址|下载地址|官网|项目|リンク|論文|コード
    """.replace("\n", "|")
    .replace("    ", "")
    .split("|")
)


@dataclass
class Span:
    """Neighbouring runs of one link, or of none. ``external`` says whether the link leads out."""

    link: Link | None
    runs: list[Run]
    external: bool = False

    @functools.cached_property
    def text(self) -> str:
        """What can be read of it, white space collapsed to single spaces."""
        return _SPACE.sub(" ", "".join(r.text for r in self.runs if not r.image))

    @property
    def pictured(self) -> bool:
        """Whether nothing but images can be seen of it."""
        return not self.text.strip()

    @property
    def badge(self) -> bool:
        """A picture that tells a state of the project and leads to the service that drew it."""
        return (
            self.pictured
            and any(r.image for r in self.runs)
            and bool(_BADGE.search(self.link.href if self.link else ""))
        )

    @property
    def generic(self) -> bool:
        """Whether the text names a sort of thing ("paper") and not the thing."""
        return is_generic(self.text)


def plain(runs: Iterable[Run]) -> str:
    """The text that a person reads, white space collapsed; images by their alternative text where nothing else is."""
    runs = list(runs)
    text = _SPACE.sub(" ", SHORTCODE.sub("", "".join(r.text for r in runs if not r.image))).strip()
    return text or _SPACE.sub(" ", " ".join(r.text for r in runs if r.image)).strip()


def spans_of(runs: Sequence[Run]) -> Iterator[Span]:
    """Group runs by their link."""
    current: Span | None = None
    for run in runs:
        if current is None or run.link is not current.link:
            if current is not None:
                yield current
            current = Span(run.link, [], external=run.link is not None and canonical_url(run.link.href) is not None)
        current.runs.append(run)
    if current is not None:
        yield current


def is_generic(text: str) -> bool:
    """Whether a text names a sort of thing ("paper") and not the thing."""
    return text.strip(" []()\uff08\uff09\u3010\u3011:.,!*_`\u2b50\U0001f4c4\U0001f517").lower() in _GENERIC


def tidy(text: str) -> str:
    """Text without emptied brackets, shortcodes, left-over separators and doubled white space."""
    for _ in range(3):
        text = _EMPTY_BRACKETS.sub(" ", text)
    text = _SPACE.sub(" ", SHORTCODE.sub(" ", text)).strip()
    text = _LEFT_OVER.sub("", _BEFORE_STOP.sub(r"\1", text)).strip(EDGE).rstrip("([ ").rstrip(EDGE)
    text = _LEADING_STOP.sub("", text).strip(EDGE)
    return "" if not WORD.search(text) and len(text) < 2 else text
