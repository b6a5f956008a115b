"""Any other address: a web page, a PDF, a text. What came is told by its bytes as well as by its header."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from accelrag.errors import FetchFailed
from accelrag.settings import Settings
from accelrag.sources.bounded import run_bounded
from accelrag.sources.charsets import decode
from accelrag.sources.html import Page, main_text, read_head
from accelrag.sources.markup import readable
from accelrag.sources.pdf import read_pdf
from accelrag.sources.registry import Registration, register
from accelrag.sources.requests import Outcomes, Request, Unchanged, document
from accelrag.transport import Response, Transport
from accelrag.types import Coverage, Document

__all__ = ["PageSource", "refuse_walls"]

_ACCEPT = "text/html, application/xhtml+xml, application/pdf;q=0.9, text/plain;q=0.8, text/markdown;q=0.8, */*;q=0.1"
_LONGEST_HTML = 8_000_000
_LONG_HTML = 1_000_000
_SHORTEST = 200
_HTML_TYPES = {"text/html", "application/xhtml+xml", "application/xml", "text/xml"}
_TEXT_TYPES = {"text/plain", "text/markdown", "text/x-markdown", "text/x-rst", "text/asciidoc", "text/x-web-markdown"}
_BOT = re.compile(
    r"just a moment|attention required|checking your browser|verify(?:ing)? (?:that )?you are (?:a )?human|"
    r"are you a robot|pardon our interruption|unusual traffic|enable javascript and cookies to continue|"
    r"access (?:to this page has been )?denied|security check|ddos protection|please complete the captcha|"
    r"request unsuccessful|incapsula|one more step",
    re.IGNORECASE,
)
_COOKIES = re.compile(
    r"(?:we|this (?:web)?site|our partners)[^.]{0,60}\b(?:use|store|set)s?\b[^.]{0,40}cookies|"
    r"accept (?:all )?cookies|cookie (?:consent|policy|settings|preferences)|before you continue|"
    r"manage (?:consent|cookies)|"
    r"enable cookies|cookies (?:are|must be) (?:disabled|enabled)|consent to (?:the use of )?cookies",
    re.IGNORECASE,
)
_LOGIN_PATH = re.compile(
    r"(^|/)(log-?in|sign-?in|sso|auth|oauth2?|session/new|accounts?/login|cas)(/|\.|$)", re.IGNORECASE
)
_LOGIN = re.compile(
    r"\b(log ?in|sign ?in|please authenticate|members only|subscribe to (?:read|continue))\b", re.IGNORECASE
)
_SCRIPT = re.compile(
    r"(?:enable|requires?|need|turn on|without) javascript|javascript (?:is )?(?:disabled|required)", re.I
)


class PageSource:
    """Pages, PDFs and texts, one at a time."""

    name = "page"
    batch = 1

    def __init__(self, settings: Settings, transport: Transport) -> None:
        self._settings = settings
        self._transport = transport

    def fetch(self, requests: Sequence[Request]) -> Iterator[Outcomes]:
        for request in requests:
            response = self._transport.get(request.entry.url, accept=_ACCEPT, revision=request.revision)
            yield [(request, Unchanged() if response.unchanged else self.read(request, response))]

    def read(self, request: Request, response: Response) -> Document:
        """The document in an answer.

        Raises:
            FetchFailed: there is no text in it for us; the reason says why.
        """
        body, kind = response.body, response.content_type
        if not body.strip(b"\x00 \t\r\n"):
            raise FetchFailed(f"{response.url} answered nothing", reason="empty")
        if b"%PDF-" in body[:1024] or kind == "application/pdf":
            return self._pdf(request, response)
        if kind in _TEXT_TYPES:
            return self._text(request, response)
        if kind in _HTML_TYPES or (not kind and b"<" in body[:512]) or _looks_like_html(body):
            return self._html(request, response)
        raise FetchFailed(f"{response.url} is {kind or 'of no named type'}", reason="unsupported-type")

    def head(self, response: Response) -> tuple[Page, str]:
        """The head and the decoded text of an HTML answer."""
        if len(response.body) > _LONGEST_HTML:
            raise FetchFailed(f"{response.url} is {len(response.body):,} bytes of HTML", reason="too-large")
        text = decode(response.body, response.headers.get("content-type", ""))
        return read_head(text), text

    def main_text(self, text: str, url: str) -> str:
        """The main text; of a long page in a process of its own, as parsing may take long."""
        if len(text) < _LONG_HTML:
            return main_text(text, url)
        return str(run_bounded("html", text.encode("utf-8", "replace"), {"url": url}, seconds=60.0).get("text") or "")

    def _pdf(self, request: Request, response: Response) -> Document:
        pdf = read_pdf(response.body, pages=max(1, self._settings.pdf_pages))
        coverage: Coverage = "full" if len(pdf.pages) == pdf.count else "page"
        return document(
            request, pdf.text, coverage, source=response.url, title=pdf.title, revision=response.revision,
            authors=pdf.authors, pages=pdf.pages,
            metadata={"pages_read": str(len(pdf.pages)), "pages": str(pdf.count), "references": str(pdf.references),
                      "type": "application/pdf"},
        )  # fmt: skip

    def _text(self, request: Request, response: Response) -> Document:
        if b"\x00" in response.body[:4096] and not response.body.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise FetchFailed(f"{response.url} is no text", reason="unsupported-type")
        name = urlsplit(response.url).path
        text, markdown = readable(
            decode(response.body, response.headers.get("content-type", "")), name=name, base=response.url
        )
        return document(request, text, "page", source=response.url, revision=response.revision, markdown=markdown)

    def _html(self, request: Request, response: Response) -> Document:
        page, raw = self.head(response)
        text = self.main_text(raw, response.url)
        refuse_walls(page, text, response)
        return document(
            request, text, "page", source=response.url,
            title=page.first("citation_title", "og:title") or page.title or next(iter(page.headings), ""),
            revision=response.revision, licence=page.licence, markdown=True,
            authors=page.all("citation_author") or page.all("author"),
            published=page.first("citation_publication_date", "article:published_time")[:10].replace("/", "-"),
            metadata={
                "description": page.first("description", "og:description")[:500],
                "moved_to": response.moved_to,
            },
        )  # fmt: skip


def refuse_walls(page: Page, text: str, response: Response) -> None:
    """Tell a page from what a server shows instead of it.

    Raises:
        FetchFailed: blocked, login, cookie-wall, script-only or empty.
    """
    solid = len(re.sub(r"\W", "", text))
    shown = page.words[:3_000]
    if solid < 1_500 and (_BOT.search(page.title) or (solid < 600 and _BOT.search(shown))):
        raise FetchFailed(f"{response.url} shows a check for robots", reason="blocked")
    moved = response.url != response.requested
    if solid < 1_500 and (
        (page.asks_password and (solid < 600 or _LOGIN.search(page.title)))
        or (moved and _LOGIN_PATH.search(urlsplit(response.url).path) and _LOGIN.search(shown))
    ):
        raise FetchFailed(f"{response.url} is a login page", reason="login")
    if solid < 600 and _COOKIES.search(shown) and len(_COOKIES.sub("", text)) < 900:
        raise FetchFailed(f"{response.url} shows a cookie question", reason="cookie-wall")
    if solid < _SHORTEST:
        if page.scripts and (_SCRIPT.search(page.noscript + shown) or len(page.words) < 400):
            raise FetchFailed(f"{response.url} shows nothing without its scripts", reason="script-only")
        if solid < 60:
            raise FetchFailed(f"{response.url} has no text to speak of", reason="empty")


def _looks_like_html(body: bytes) -> bool:
    return bool(
        re.match(rb"\s*(?:<!doctype html|<html|<head|<body)", body[:512].lstrip(b"\xef\xbb\xbf"), re.IGNORECASE)
    )


register(
    Registration(
        "page",
        1_000,  # the last: it takes whatever is left
        lambda entry: True,
        lambda settings, transport, bases: PageSource(settings, transport),
        side_by_side=True,
    )
)
