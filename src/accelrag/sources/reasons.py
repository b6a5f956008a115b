"""The closed set of reasons for which an entry has no document, and what each means to a person."""

from __future__ import annotations

from types import MappingProxyType

__all__ = ["REASONS"]

REASONS = MappingProxyType(
    {
        "note-only": "nothing is fetched for this kind of link; the curator's note is used",
        "no-source": "no source reads this kind of link; the curator's note is used",
        "gone": "the source says that it is gone for good",
        "not-found": "the source knows no such address",
        "unknown-id": "the catalogue knows no such identifier",
        "malformed-id": "the identifier cannot be one",
        "no-readme": "the repository or folder has neither a README nor a description",
        "no-abstract": "neither a catalogue nor the page gives an abstract",
        "robots": "the site closes the address to programs",
        "blocked": "the site refuses programs",
        "login": "the text is behind a login",
        "cookie-wall": "the page shows only a cookie question",
        "script-only": "the page shows nothing without running its scripts",
        "empty": "the page has no text to speak of",
        "refused-address": "the address is not on the public internet, or not http(s)",
        "redirect-loop": "the address redirects in a circle, too often or to nowhere",
        "too-large": "the body is larger than the limit",
        "bad-encoding": "the body is not what its content coding says",
        "bad-answer": "the source answered something that cannot be used",
        "unsupported-type": "the body is of a type that holds no text for us",
        "scanned": "the PDF holds pictures of pages and no text",
        "garbled": "the text layer does not say what the page shows",
        "encrypted": "the PDF needs a password",
        "broken-pdf": "the PDF cannot be read",
        "unreadable": "the text could not be taken out within time and memory",
        "timeout": "the source was too slow",
        "dns": "the name does not resolve",
        "unreachable": "no connection to the source",
        "rate-limited": "the source asks to come back later",
        "server-error": "the source is out of order",
        "circuit-open": "the host failed several times and is left alone for now",
        "offline": "it was not fetched yet, and this run opened no connection",
        "missing-extra": "this installation lacks the package that reads it",
        "internal": "accelrag failed on this entry",
    }
)
