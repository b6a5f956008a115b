"""Bytes -> text: what the page says about its charset is heard, and not believed where the bytes say otherwise.

Order: byte order mark, valid UTF-8, the header's charset, the page's own, detection, Windows-1252. A web page that
names ISO-8859-1 means Windows-1252 (https://encoding.spec.whatwg.org/#names-and-labels).
"""

from __future__ import annotations

import codecs
import re

__all__ = ["decode"]

_META = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w:.+-]{2,40})|<\?xml[^>]{0,100}encoding=[\"']([\w.-]+)", re.I
)
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([\w:.+-]{2,40})", re.IGNORECASE)
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
          (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))  # fmt: skip
_AS_WEB = {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932",
           "euc_kr": "cp949", "iso8859-9": "cp1254", "tis-620": "cp874"}  # fmt: skip
# Among these a detector guesses; the web's own answer is Windows-1252.
_LATIN = re.compile(
    r"cp125[0247]|cp(?:437|775|85\d|86\d|500|037|1140|273|1026)|latin|iso8859_(?:1|2|3|4|9|1\d)$|mac_|hp_|ascii"
)
_SEVEN_BIT = {"iso2022_jp", "iso2022_jp_2", "iso2022_kr", "hz"}
_UNSAFE = {"utf-7", "punycode", "idna", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem"}


def decode(body: bytes, content_type: str = "") -> str:  # noqa: C901 - the WHATWG's order of what names an encoding
    """The text of a body. Never raises: what cannot be decoded becomes U+FFFD."""
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body.decode(name, "replace").lstrip("\ufeff")
    header = _HEADER.search(content_type)
    declared = [_codec(header[1])] if header else []
    match = _META.search(body[:4096])
    if match:
        declared.append(_codec((match[1] or match[2]).decode("ascii", "replace")))
    declared = [name for name in declared if name]
    if declared and declared[0] in _SEVEN_BIT:
        return body.decode(declared[0], "replace")
    wide = _wide(body)
    if wide:
        return body.decode(wide, "replace")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        # One bad byte in a long page does not make it Latin; the rest of it would be mangled.
        if body.count(b"\xef\xbf\xbd") == 0 and _nearly_utf8(body, error):
            return body.decode("utf-8", "replace")
    for name in declared:
        if name.startswith(("utf-16", "utf-32", "utf-8")):
            continue
        try:
            return body.decode(name)
        except (UnicodeDecodeError, LookupError):
            continue
    return _detected(body)


def _codec(label: str) -> str:
    try:
        name = codecs.lookup(label.strip().lower()).name
    except (LookupError, ValueError):
        return ""
    # Python also has codecs that turn bytes into bytes or run something like a program: not from a server's mouth.
    if name in _UNSAFE or not getattr(codecs.lookup(name), "_is_text_encoding", True):
        return ""
    return _AS_WEB.get(name, name)


def _wide(body: bytes) -> str:
    """UTF-16 without a mark: markup is mostly ASCII, so every second byte is zero."""
    head = body[:2048]
    if len(head) < 4 or head.count(0) < len(head) * 0.3:
        return ""
    return "utf-16-le" if head[1::2].count(0) > head[0::2].count(0) else "utf-16-be"


def _nearly_utf8(body: bytes, error: UnicodeDecodeError) -> bool:
    text = body.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = sum(1 for c in text if c > "\x7f" and c != "\ufffd")
    return good > 20 * bad or (error.start > len(body) - 4 and good > bad)


def _detected(body: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(body[:65_536]).best()
    if best is not None and not _LATIN.match(best.encoding):
        try:
            return body.decode(best.encoding)
        except (UnicodeDecodeError, LookupError):
            pass
    return body.decode("cp1252", "replace")
