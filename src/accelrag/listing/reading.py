"""Bytes of a list -> Listing, or one clear line that says why they are none."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from accelrag.errors import ListError, ListFormatError
from accelrag.listing.parsing import Listing, parse

__all__ = ["MAX_LIST_BYTES", "decode_list", "read_list"]

MAX_LIST_BYTES = 20_000_000
_HINT = "name a Markdown list: a README.md of an awesome list, as a path or a URL"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_HTML_PAGE = re.compile(r"\s*(?:<!--.{0,2000}?-->\s*)?(?:<!doctype\s+html|<html[\s>])", re.IGNORECASE | re.DOTALL)
_RST_SIGNS = (
    re.compile(r"`[^`\n]{1,300}\s<https?://[^>\s]{1,2000}>`__?"),
    re.compile(r"^\.\. (?:\w[\w-]{0,40}::|_[^:\n]{1,200}:|\|[^|\n]{1,100}\|)", re.MULTILINE),
)
_ADOC_SIGNS = (
    re.compile(r"https?://[^\s\[\]]{1,2000}\[[^\]\n]{0,300}\](?!\()"),
    re.compile(r"^={1,6} \S", re.MULTILINE),
    re.compile(r"^:[a-z][\w-]{0,40}:(?: |$)", re.MULTILINE),
    re.compile(r"^(?:ifdef|ifndef|include|image|toc|endif)::", re.MULTILINE),
)
_MARKDOWN_LINK = re.compile(r"\]\((?:<)?https?://|\]\[[^\]\n]{0,200}\]|^\[[^\]\n]{1,200}\]:\s", re.MULTILINE)


def read_list(path: Path, *, name: str = "") -> Listing:
    """Parse the list in a file.

    Raises ListError when it is missing, no file, empty, too large, not text, or holds no external link, and
    ListFormatError when it is reStructuredText or AsciiDoc.
    """
    try:
        if path.is_dir():
            readme = next((p for p in ("README.md", "readme.md", "Readme.md") if (path / p).is_file()), None)
            hint = f"name the file in it: {path / readme}" if readme else _HINT
            raise ListError(f"{path} is a folder, not a list", hint=hint)
        with path.open("rb") as file:
            data = file.read(MAX_LIST_BYTES + 1)
    except FileNotFoundError as error:
        raise ListError(f"{path} does not exist", hint=_HINT) from error
    except (OSError, ValueError) as error:
        raise ListError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}", hint=_HINT) from error
    return decode_list(data, str(path), name=name)


def decode_list(data: bytes, source: str, name: str = "") -> Listing:
    """Parse the bytes of a list that ``source`` (a path or URL) gave. Raises as ``read_list`` does."""
    if len(data) > MAX_LIST_BYTES:
        raise ListError(f"{source} is larger than {MAX_LIST_BYTES // 1_000_000} MB, which no list is", hint=_HINT)
    text = _decoded(data, source)
    if not text.strip("\ufeff \t\r\n"):
        raise ListError(f"{source} is empty", hint=_HINT)
    if _HTML_PAGE.match(text.removeprefix("\ufeff")):
        raise ListError(
            f"{source} is an HTML page, not a Markdown list",
            hint="name the raw file: on GitHub, the address behind the button Raw",
        )
    _refuse_other_markup(text, source)
    listing = parse(text, name=name)
    if not listing.entries:
        seen = f"; {len(listing.skipped)} lines hold links that are none" if listing.skipped else ""
        raise ListError(
            f"{source} holds no list item, table row or paragraph with an external link{seen}", hint=_HINT
        )
    return listing


def _decoded(data: bytes, source: str) -> str:
    if data.startswith(_UTF16) and not data.startswith(codecs.BOM_UTF32_LE):
        encoding = "utf-16"
    else:
        encoding = "utf-8-sig"
        if (at := data.find(b"\0")) >= 0:
            raise ListError(f"{source} is a binary file: a NUL byte at offset {at}", hint=_HINT)
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        shown = " ".join(f"{byte:02x}" for byte in data[error.start : error.start + 4])
        raise ListError(
            f"{source} is not {encoding.removesuffix('-sig').upper()} text: byte offset {error.start} holds {shown}",
            hint="save it as UTF-8, for example: iconv -f LATIN1 -t UTF-8 OLD > NEW",
        ) from error


def _refuse_other_markup(text: str, source: str) -> None:
    markdown = len(_MARKDOWN_LINK.findall(text))
    rst = sum(len(sign.findall(text)) for sign in _RST_SIGNS)
    adoc = [len(sign.findall(text)) for sign in _ADOC_SIGNS]
    ending = source.lower().rsplit(".", 1)[-1]
    if (ending in ("rst", "rest") and rst >= markdown) or rst > max(2, 2 * markdown):
        found, pandoc = "reStructuredText", "rst"
    elif (ending in ("adoc", "asciidoc", "asc") and sum(adoc) > markdown) or (
        adoc[0] > max(2, 2 * markdown) and any(adoc[1:])
    ):
        found, pandoc = "AsciiDoc", "asciidoc"
    else:
        return
    raise ListFormatError(
        f"{source} is written in {found}; lists are read as Markdown",
        hint=f"convert it first, for example: pandoc -f {pandoc} -t gfm OLD -o NEW.md",
    )
