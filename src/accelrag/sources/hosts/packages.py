"""Package indexes: the README of a package, else its description, with licence, version and repository.

PyPI https://docs.pypi.org/api/json/, crates.io https://crates.io/data-access#api (one request a second), npm
https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md, CRAN's DESCRIPTION and README
(https://cran.r-project.org/doc/manuals/r-release/R-exts.html#The-DESCRIPTION-file), Anaconda https://api.anaconda.org.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.parser import HeaderParser
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from accelrag.errors import AccelragError, FetchFailed
from accelrag.settings import Settings
from accelrag.sources.asking import ask_json, ask_text, decoded, text_of
from accelrag.sources.markup import readable
from accelrag.sources.registry import Bases, Registration, one_by_one, register
from accelrag.sources.requests import Outcome, Request, Source, document
from accelrag.transport import Transport
from accelrag.types import Entry

__all__ = ["PackageTarget", "package_target"]

_BASES = {
    "pypi": "https://pypi.org",
    "crates": "https://crates.io",
    "npm": "https://registry.npmjs.org",
    "cran": "https://cran.r-project.org",
    "anaconda": "https://api.anaconda.org",
}
_PATHS = (
    ("pypi", re.compile(r"^(?:www\.|test\.)?(?:pypi\.org|pypi\.python\.org)/(?:project|p|pypi)/([\w.-]+)")),
    ("crates", re.compile(r"^(?:www\.)?crates\.io/crates/([\w-]+)")),
    ("npm", re.compile(r"^(?:www\.)?(?:npmjs\.com|npmjs\.org)/package/((?:@[\w.~-]+/)?[\w.~-]+)")),
    ("cran", re.compile(r"^cran\.r-project\.org/(?:web/packages/|package=)([A-Za-z][\w.]*)")),
    ("cran", re.compile(r"^cran\.r-project\.org/?\?package=([A-Za-z][\w.]*)")),
    ("anaconda", re.compile(r"^(?:www\.)?anaconda\.org/([\w.-]+/[\w.-]+)")),
)
_LONGEST_LICENCE = 80  # characters; some packages put the whole text of their licence into the field
_FORMATS = {"text/x-rst": "README.rst", "text/plain": "README.txt", "text/markdown": "README.md"}


@dataclass(frozen=True, slots=True)
class PackageTarget:
    """The index that a link names and the package's name there."""

    index: str
    name: str


@dataclass(frozen=True, slots=True)
class _Package:
    """What an index says. ``readme`` is written in the markup that ``file`` names."""

    source: str
    title: str
    summary: str
    readme: str = ""
    file: str = "README.md"
    base: str = ""
    licence: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)


def package_target(url: str) -> PackageTarget | None:
    """The package that a link names, or None where it names none."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    query = f"?{parts.query}" if parts.query else ""
    whole = f"{(parts.hostname or '').lower()}{unquote(parts.path)}{query}"
    for index, pattern in _PATHS:
        if match := pattern.match(whole):
            return PackageTarget(index, match[1])
    return None


class _Indexes:
    def __init__(self, transport: Transport, bases: Bases) -> None:
        self._bases = {name: bases.of(name) for name in _BASES}
        self._transport = transport
        self._readers: dict[str, Callable[[str], _Package]] = {
            "pypi": self._pypi,
            "crates": self._crates,
            "npm": self._npm,
            "cran": self._cran,
            "anaconda": self._anaconda,
        }

    def read(self, request: Request) -> Outcome:
        target = package_target(request.entry.url) or package_target(request.entry.key)
        if target is None:
            raise FetchFailed(f"{request.entry.url} names no package", reason="malformed-id")
        found = self._readers[target.index](target.name)
        text, markdown = readable(found.readme, name=found.file, base=found.base)
        if not text.strip():
            text, markdown = found.summary, False
        elif found.summary and found.summary not in text:
            text = f"{found.summary}\n\n{text}"  # what it is, which a README often leaves to the page around it
        if not text.strip():
            raise FetchFailed(f"{target.name} has neither a README nor a description", reason="no-readme")
        return document(
            request, text, "readme", source=found.source, title=found.title, markdown=markdown,
            licence=found.licence if len(found.licence) <= _LONGEST_LICENCE else "", authors=found.authors,
            published=found.published, metadata={"index": target.index, **found.metadata},
        )  # fmt: skip

    def _pypi(self, name: str) -> _Package:
        about = ask_json(self._transport, f"{self._bases['pypi']}/pypi/{quote(name)}/json")
        info = _object(about, "info")
        files = [f for f in about.get("urls") or [] if isinstance(f, dict)]
        page = f"https://pypi.org/project/{text_of(info, 'name') or name}/"
        kind = text_of(info, "description_content_type").partition(";")[0].strip().lower()
        links = _object(info, "project_urls")
        code = next((str(v) for k, v in links.items() if re.search(r"source|repo|code|github", k, re.I)), "")
        readme = text_of(info, "description")
        return _Package(
            page, text_of(info, "name") or name, text_of(info, "summary"),
            "" if readme == "UNKNOWN" else readme, _FORMATS.get(kind, "README"), page,
            text_of(info, "license_expression") or text_of(info, "license"), _people(text_of(info, "author")),
            text_of(files[0], "upload_time_iso_8601")[:10] if files else "",
            {"version": text_of(info, "version"), "repository": code, "homepage": text_of(info, "home_page")},
        )  # fmt: skip

    def _crates(self, name: str) -> _Package:
        root = f"{self._bases['crates']}/api/v1/crates/{quote(name)}"
        about = ask_json(self._transport, root, spacing=1.0)
        crate = _object(about, "crate")
        version = text_of(crate, "max_stable_version") or text_of(crate, "max_version")
        of_it: dict[str, Any] = next((v for v in about.get("versions") or [] if text_of(v, "num") == version), {})
        readme = ""
        try:
            found = ask_text(self._transport, f"{root}/{quote(version)}/readme") if version else None
            readme = decoded(found) if found is not None else ""
        except AccelragError:
            readme = ""  # the description alone is worth having
        return _Package(
            f"https://crates.io/crates/{name}", text_of(crate, "name") or name, text_of(crate, "description"),
            readme, "README.md", f"https://crates.io/crates/{name}", text_of(of_it, "license"), (),
            text_of(crate, "updated_at")[:10],
            {"version": version, "repository": text_of(crate, "repository"), "homepage": text_of(crate, "homepage"),
             "downloads": text_of(crate, "downloads")},
        )  # fmt: skip

    def _npm(self, name: str) -> _Package:
        address = f"{self._bases['npm']}/{quote(name, safe='@')}"
        try:
            about = ask_json(self._transport, address)
        except AccelragError as error:
            if getattr(error, "reason", "") != "too-large":  # all versions of an old package are many megabytes
                raise
            about = ask_json(self._transport, f"{address}/latest")
        version = text_of(about, "dist-tags", "latest") or text_of(about, "version")
        readme = text_of(about, "readme")
        return _Package(
            f"https://www.npmjs.com/package/{name}", text_of(about, "name") or name, text_of(about, "description"),
            "" if readme.startswith("ERROR:") else readme, text_of(about, "readmeFilename") or "README.md",
            f"https://www.npmjs.com/package/{name}", text_of(about, "license") or text_of(about, "license", "type"),
            _people(text_of(about, "author", "name")), text_of(about, "time", version)[:10],
            {"version": version, "homepage": text_of(about, "homepage"),
             "repository": re.sub(r"^git\+|\.git$", "", text_of(about, "repository", "url"))},
        )  # fmt: skip

    def _cran(self, name: str) -> _Package:
        root = f"{self._bases['cran']}/web/packages/{quote(name)}"
        found = ask_text(self._transport, f"{root}/DESCRIPTION")
        if found is None:
            raise FetchFailed(f"CRAN knows no {name}", reason="not-found")
        fields = {k: " ".join(v.split()) for k, v in HeaderParser().parsestr(decoded(found)).items()}
        readme = ask_text(self._transport, f"{root}/readme/README.html")
        page = f"https://cran.r-project.org/package={name}"
        people = re.sub(r"\[[^\]]*\]|\([^()]*\)|<[^<>]*>", "", fields.get("Author", ""))
        about = ". ".join(part.rstrip(".") for part in (fields.get("Title"), fields.get("Description")) if part)
        return _Package(
            page, name, f"{about}." if about else "", decoded(readme) if readme is not None else "", "README.md",
            page, fields.get("License", ""), _people(people), fields.get("Date/Publication", "")[:10],
            {"version": fields.get("Version", ""), "homepage": fields.get("URL", "").split(",")[0]},
        )  # fmt: skip

    def _anaconda(self, name: str) -> _Package:
        about = ask_json(self._transport, f"{self._bases['anaconda']}/package/{quote(name)}")
        page = f"https://anaconda.org/{name}"
        return _Package(
            page, text_of(about, "name") or name, text_of(about, "summary"), text_of(about, "description"),
            "README.md", page, text_of(about, "license"), (), text_of(about, "modified_at")[:10],
            {"version": text_of(about, "latest_version"), "homepage": text_of(about, "home"),
             "repository": text_of(about, "dev_url")},
        )  # fmt: skip


def _object(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = record.get(name)
    return found if isinstance(found, dict) else {}


def _people(names: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in re.split(r",|;| and ", names) if name.strip())


def _takes(entry: Entry) -> bool:
    return package_target(entry.url) is not None


def _build(settings: Settings, transport: Transport, bases: Bases) -> Source:
    return one_by_one("packages", _Indexes(transport, bases).read)


register(Registration("packages", 110, _takes, _build, _BASES))
