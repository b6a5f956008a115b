"""What a scholarly link names."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

__all__ = ["identifier"]

_DOI = re.compile(r"10\.\d{4,9}/[^\s?#]+")
_HOSTS = re.compile(
    r"(^|\.)(doi\.org|dl\.acm\.org|ieeexplore\.ieee\.org|link\.springer\.com|usenix\.org|neurips\.cc|nips\.cc|openreview\.net|"
    r"aclanthology\.org|aclweb\.org|mlr\.press|jmlr\.org|nature\.com|sciencedirect\.com|semanticscholar\.org|thecvf\.com)$"
)
_PAPER_PATHS = {
    "usenix.org": r"/conference/.+/presentation/|/legacy/",
    "nature.com": r"/articles/",
    "sciencedirect.com": r"/science/article/",
    "semanticscholar.org": r"/paper/",
    "mlr.press": r"/v\d+/.+\.html",
    "jmlr.org": r"/papers/.+\.html",
    "thecvf.com": r"\.html$",
    "openreview.net": r"/(forum|pdf)",
    "neurips.cc": r"/paper",
    "nips.cc": r"/paper",
}


def identifier(url: str) -> str | None:
    """``doi:10.…``, ``ieee:NUMBER``, ``s2:HASH``, or ``page:`` for a scholarly page without one; else None."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    host, path = (parts.hostname or "").lower(), unquote(parts.path)
    if not _HOSTS.search(host) or path.lower().endswith(".pdf"):
        return None
    match = _DOI.search(path)
    if match:
        doi = re.sub(r"(?:/(?:abstract|full|pdf|epub)|\.pdf|/)$", "", match[0].lower())
        return f"doi:{doi}"
    if host == "ieeexplore.ieee.org":
        number = re.search(r"/(?:document|abstract/document)/(\d+)", path) or re.search(
            r"arnumber=(\d+)", parts.query
        )
        return f"ieee:{number[1]}" if number else None
    if host.endswith("aclanthology.org") and (match := re.match(r"/([A-Z]\d{2}-\d{4}|\d{4}\.[\w-]+\.\d+)/?$", path)):
        return f"doi:10.18653/v1/{match[1].lower()}"
    if host.endswith("semanticscholar.org") and (match := re.search(r"/([0-9a-f]{40})", path)):
        return f"s2:{match[1]}"
    site = ".".join(host.split(".")[-2:])
    pattern = _PAPER_PATHS.get(site)
    return "page:" if pattern and re.search(pattern, path) else None
