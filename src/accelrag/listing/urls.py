"""Which links lead out, and when two of them are one resource.

``canonical_url`` is a comparison key, not an address to fetch: it joins spellings that lead to the same thing.
Sources: arXiv identifier scheme (https://info.arxiv.org/help/arxiv_identifier.html), DOI handbook section 2.4
(case-insensitive), RFC 3986 section 6 (normalisation).
"""

from __future__ import annotations

import functools
import hashlib
import re
from urllib.parse import quote, unquote, urlsplit

__all__ = ["canonical_url", "entry_id", "link_class"]

_ARXIV_HOSTS = {
    "arxiv.org",
    "export.arxiv.org",
    "browse.arxiv.org",
    "xxx.lanl.gov",
    "de.arxiv.org",
    "cn.arxiv.org",
    "ar5iv.org",
    "ar5iv.labs.arxiv.org",
    "alphaxiv.org",
}
_ARXIV_PATH = re.compile(
    r"/(?:abs|pdf|html|format|ps|e-print|src|overview|papers)/(?:arxiv:)?"
    r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v\d+)?(?:\.pdf)?/?",
    re.IGNORECASE,
)
_ARXIV_DOI = re.compile(r"10\.48550/arxiv\.(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v\d+)?")
_ACM_DOI = re.compile(r"/doi/(?:abs/|pdf/|full/|fullhtml/|epdf/)?(10\.\d{4,9}/.+)", re.IGNORECASE)
_DOI = re.compile(r"/(?:doi:)?(10\.\d{4,9}/.+)", re.IGNORECASE)
_TRACKING = re.compile(
    r"(?:utm_\w+|mc_[ce]id|_hs(?:enc|mi)|(?:fb|g|y|msc|dc|wbra|gbra)clid|gclsrc|igshid|igsh|ref|ref_src|ref_url|"
    r"referrer|spm|share_from|cmpid|trk|mkt_tok|vero_id|_ga)",
    re.IGNORECASE,
)
_HOST = re.compile(r"[^\s/\\?#@:<>\[\]\"'`^{|}%\x00-\x20\x7f]+|\[[0-9a-f:.]+\]", re.IGNORECASE)
_VIDEO = re.compile(r"/+([\w-]+)/*", re.ASCII)
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_NOT_SLUG = re.compile(r"[^a-z0-9.]+")


@functools.lru_cache(maxsize=20_000)  # each link is asked for several times while a list is parsed
def canonical_url(url: str) -> str | None:  # noqa: C901 - the parts of an address in their order
    """The key under which every spelling of an external http(s) address is the same, or None when it is none."""
    url = "".join(url.split())
    if url.startswith("//"):
        url = "https:" + url
    try:
        parts = urlsplit(url)
        port = parts.port
        host = (parts.hostname or "").rstrip(".")
    except ValueError:  # an unclosed IPv6 bracket, a port that is no number
        return None
    if parts.scheme.lower() not in ("http", "https"):
        return None
    if ":" in host:
        host = f"[{host}]"
    if not _HOST.fullmatch(host):
        return None
    host = _ascii_host(host).removeprefix("www.") or host
    path = _escaped(parts.path)
    if host in _ARXIV_HOSTS and (match := _ARXIV_PATH.fullmatch(path)):
        return f"https://arxiv.org/abs/{_arxiv_id(match[1])}"
    if host in ("doi.org", "dx.doi.org") and (match := _DOI.fullmatch(unquote(path, errors="replace"))):
        return _doi_key(match[1])
    if host == "dl.acm.org" and (match := _ACM_DOI.fullmatch(unquote(path, errors="replace"))):
        return _doi_key(match[1])
    query = "&".join(p for p in parts.query.split("&") if p and not _TRACKING.fullmatch(p.split("=", 1)[0]))
    if host == "github.com":
        path, query = _github(path, query)
    elif host in ("youtu.be", "m.youtube.com", "youtube.com"):
        host, path, query = _youtube(host, path, query)
    route = parts.fragment if parts.fragment.startswith(("/", "!")) and len(parts.fragment) > 1 else ""
    place = host if port in (None, 80, 443) else f"{host}:{port}"
    return (
        f"https://{place}{path.rstrip('/')}"
        + (f"?{_escaped(query)}" if query else "")
        + (f"#{_escaped(route)}" if route else "")
    )


def entry_id(key: str) -> str:
    """A readable id that depends on the key alone: at most 48 characters of slug, then 6 of its SHA-256."""
    slug = _NOT_SLUG.sub("-", key.removeprefix("https://").lower())[:48].strip("-.")
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{slug}-{digest}" if slug else digest


def link_class(href: str) -> str:
    """``external``, or why a link is not: in words that can be shown."""
    if canonical_url(href) is not None:
        return "external"
    href = href.strip()
    if href.startswith("#"):
        return "in-page link"
    match = _SCHEME.match(href)
    if not match:
        return "broken address" if href.startswith("//") else "relative link" if href else "empty link"
    scheme = match[0][:-1].lower()
    if scheme == "mailto":
        return "mail address"
    return "broken address" if scheme in ("http", "https") else f"{scheme}: link"


def _arxiv_id(raw: str) -> str:
    archive, slash, number = raw.lower().partition("/")
    # math.GT/0309136 and math/0309136 are one paper: the class after the dot is optional in old identifiers.
    return f"{archive.split('.')[0]}/{number}" if slash else archive


def _doi_key(doi: str) -> str:
    doi = doi.lower().rstrip("/")
    if match := _ARXIV_DOI.fullmatch(doi):
        return f"https://arxiv.org/abs/{_arxiv_id(match[1])}"
    return "https://doi.org/" + quote(doi, safe="/:@!$&'()*+,;=", errors="replace")


def _github(path: str, query: str) -> tuple[str, str]:
    owner, _, rest = path.lstrip("/").partition("/")
    repo, _, inside = rest.partition("/")
    repo = repo.lower().removesuffix(".git")
    if not inside.strip("/"):
        return (f"/{owner.lower()}/{repo}", "") if repo else (f"/{owner.lower()}", query)
    return f"/{owner.lower()}/{repo}/{inside}", query


def _youtube(host: str, path: str, query: str) -> tuple[str, str, str]:
    kept = [p for p in query.split("&") if p and p.split("=", 1)[0] not in ("si", "feature", "t", "ab_channel", "pp")]
    if host == "youtu.be" and (video := _VIDEO.fullmatch(path)):
        return "youtube.com", "/watch", "&".join([f"v={video[1]}", *kept])
    if host == "youtu.be":
        return host, path, "&".join(kept)
    return "youtube.com", path, "&".join(kept)


def _ascii_host(host: str) -> str:
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return quote(host, safe="", errors="replace").lower()


def _escaped(text: str) -> str:
    """Percent-encode what RFC 3986 reserves, and decode what it does not."""

    def settle(match: re.Match[str]) -> str:
        character = chr(int(match[1], 16))
        return character if character in _UNRESERVED else f"%{match[1].upper()}"

    return _ESCAPE.sub(settle, quote(text, safe="/%:@!$&'()*+,;=?#[]|~", errors="replace"))
