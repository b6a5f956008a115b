"""Repositories that are not on GitHub: the README, else the description, with licence, stars and last activity.

GitLab https://docs.gitlab.com/api/projects/ and .../repository_files/, Codeberg and other Forgejo
https://codeberg.org/api/swagger, Bitbucket https://developer.atlassian.com/cloud/bitbucket/rest/, SourceForge
https://sourceforge.net/p/forge/documentation/API/ (which keeps no README behind an address).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from accelrag.errors import FetchFailed
from accelrag.settings import Settings
from accelrag.sources.asking import ask_json, ask_text, decoded, text_of
from accelrag.sources.markup import readable
from accelrag.sources.registry import Bases, Registration, one_by_one, register
from accelrag.sources.requests import Outcome, Request, Source, Unchanged, document
from accelrag.transport import Transport
from accelrag.types import Entry

__all__ = ["ForgeTarget", "forge_target"]

_BASES = {
    "gitlab": "https://gitlab.com",
    "codeberg": "https://codeberg.org",
    "bitbucket": "https://api.bitbucket.org",
    "sourceforge": "https://sourceforge.net",
}
_HOSTS = {"gitlab.com": "gitlab", "codeberg.org": "codeberg", "bitbucket.org": "bitbucket"}
_READMES = ("README.md", "README.rst", "README", "readme.md", "README.txt", "README.adoc")
_SITE = {
    "gitlab": {"explore", "users", "groups", "help"},
    "codeberg": {"explore", "user", "org"},
    "bitbucket": {"product"},
}


@dataclass(frozen=True, slots=True)
class ForgeTarget:
    """The forge that a link names and the project's path there."""

    forge: str
    path: str


@dataclass(frozen=True, slots=True)
class _Project:
    page: str
    title: str
    description: str
    raw: str = ""  # the address below which its files are; empty where there is none
    readme: str = ""  # the README's path where the forge says so
    query: str = ""
    licence: str = ""
    metadata: dict[str, str] = field(default_factory=dict)


def forge_target(url: str) -> ForgeTarget | None:
    """The project that a link names, or None: pages of the site itself, issues and files are ordinary pages."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    host = (parts.hostname or "").lower().removeprefix("www.")
    steps = [unquote(step) for step in parts.path.split("/") if step]
    if host == "sourceforge.net" and len(steps) > 1 and steps[0] in {"projects", "p"}:
        return ForgeTarget("sourceforge", steps[1])
    if host.endswith(".sourceforge.net") and host.count(".") == 2 and not steps:
        return ForgeTarget("sourceforge", host.split(".")[0])
    forge = _HOSTS.get(host)
    if forge is None or len(steps) < 2 or steps[0] in _SITE[forge] or any(s in {".", ".."} for s in steps):
        return None
    if forge == "gitlab":  # groups nest; what follows "-" is a page of the project
        path = steps[: steps.index("-")] if "-" in steps else steps
        if "-" in steps and steps[steps.index("-") + 1 : steps.index("-") + 2] not in ([], ["tree"]):
            return None
        return ForgeTarget(forge, "/".join(path).removesuffix(".git")) if len(path) > 1 else None
    if len(steps) > 2 and steps[2] != "src":
        return None
    return ForgeTarget(forge, f"{steps[0]}/{steps[1].removesuffix('.git')}")


class _Forges:
    def __init__(self, transport: Transport, bases: Bases) -> None:
        self._bases = {name: bases.of(name) for name in _BASES}
        self._transport = transport
        self._readers: dict[str, Callable[[str], _Project]] = {
            "gitlab": self._gitlab,
            "codeberg": self._codeberg,
            "bitbucket": self._bitbucket,
            "sourceforge": self._sourceforge,
        }

    def read(self, request: Request) -> Outcome:
        target = forge_target(request.entry.url) or forge_target(request.entry.key)
        if target is None:
            raise FetchFailed(f"{request.entry.url} names no project", reason="malformed-id")
        project = self._readers[target.forge](target.path)
        text, markdown, revision = project.description, False, ""
        for name in self._names(project):
            path = quote(name, safe="" if project.query else "/")
            found = ask_text(self._transport, f"{project.raw}/{path}{project.query}", revision=request.revision)
            if found is None:
                continue
            if found.unchanged:
                return Unchanged()
            readme, marked = readable(decoded(found), name=name, base=f"{project.page}/")
            if readme.strip():
                text, markdown, revision = readme, marked, found.revision
                break
        if not text.strip():
            raise FetchFailed(f"{request.entry.url} has neither a README nor a description", reason="no-readme")
        return document(
            request, text, "readme", source=project.page, title=project.title, markdown=markdown, revision=revision,
            licence=project.licence, metadata={"description": project.description, **project.metadata},
        )  # fmt: skip

    def _names(self, project: _Project) -> Iterator[str]:
        if project.raw and project.readme:
            yield project.readme
        elif project.raw:
            yield from _READMES

    def _gitlab(self, path: str) -> _Project:
        root = f"{self._bases['gitlab']}/api/v4/projects/{quote(path, safe='')}"
        about = ask_json(self._transport, f"{root}?license=true")
        readme = text_of(about, "readme_url").partition("/-/blob/")[2].partition("/")[2]
        branch = text_of(about, "default_branch") or "HEAD"
        page = f"https://gitlab.com/{text_of(about, 'path_with_namespace') or path}"
        return _Project(
            page, page.removeprefix("https://gitlab.com/"), text_of(about, "description"),
            f"{root}/repository/files" if readme else "", readme, f"/raw?ref={quote(branch, safe='')}",
            text_of(about, "license", "key"),
            _metadata(about, stars="star_count", pushed_at="last_activity_at"),
        )  # fmt: skip

    def _codeberg(self, path: str) -> _Project:
        root = f"{self._bases['codeberg']}/api/v1/repos/{quote(path)}"
        about = ask_json(self._transport, root)
        licences = about.get("licenses")
        page = f"https://codeberg.org/{text_of(about, 'full_name') or path}"
        return _Project(
            page, page.removeprefix("https://codeberg.org/"), text_of(about, "description"), f"{root}/raw",
            licence=str(licences[0]) if isinstance(licences, list) and licences else "",
            metadata=_metadata(about, stars="stars_count", pushed_at="updated_at"),
        )  # fmt: skip

    def _bitbucket(self, path: str) -> _Project:
        root = f"{self._bases['bitbucket']}/2.0/repositories/{quote(path)}"
        about = ask_json(self._transport, root)
        branch = text_of(about, "mainbranch", "name")
        page = f"https://bitbucket.org/{text_of(about, 'full_name') or path}"
        return _Project(
            page, page.removeprefix("https://bitbucket.org/"), text_of(about, "description"),
            f"{root}/src/{quote(branch, safe='')}" if branch else "",
            metadata=_metadata(about, stars="", pushed_at="updated_on") | {"language": text_of(about, "language")},
        )  # fmt: skip

    def _sourceforge(self, path: str) -> _Project:
        about = ask_json(self._transport, f"{self._bases['sourceforge']}/rest/p/{quote(path)}")
        said = [text_of(about, "summary"), text_of(about, "short_description")]
        categories = about.get("categories")
        licences = categories.get("license") if isinstance(categories, dict) else None
        first = licences[0] if isinstance(licences, list) and licences else {}
        return _Project(
            f"https://sourceforge.net/projects/{path}/", text_of(about, "name") or path,
            "\n\n".join(dict.fromkeys(part for part in said if part)), licence=text_of(first, "fullname"),
            metadata={"homepage": text_of(about, "external_homepage"), "created": text_of(about, "creation_date")},
        )  # fmt: skip


def _metadata(about: dict[str, Any], *, stars: str, pushed_at: str) -> dict[str, str]:
    topics = about.get("topics")
    return {
        "stars": text_of(about, stars),
        "pushed_at": text_of(about, pushed_at)[:10],
        "archived": "yes" if about.get("archived") is True else "",
        "topics": ", ".join(map(str, topics)) if isinstance(topics, list) else "",
    }


def _takes(entry: Entry) -> bool:
    return forge_target(entry.url) is not None


def _build(settings: Settings, transport: Transport, bases: Bases) -> Source:
    return one_by_one("forges", _Forges(transport, bases).read)


register(Registration("forges", 61, _takes, _build, _BASES))
