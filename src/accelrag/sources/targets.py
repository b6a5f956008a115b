"""What a GitHub link names."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

__all__ = ["Target", "github_target"]

_NOT_OWNERS = {
    "about", "apps", "collections", "customer-stories", "enterprise", "events", "explore", "features", "login",
    "marketplace", "notifications", "orgs", "pricing", "search", "security", "settings", "sponsors", "stars",
    "topics", "trending", "users",
}  # fmt: skip
_PAGES = {"wiki", "issues", "pull", "pulls", "discussions", "releases", "actions", "projects", "commit", "compare"}


@dataclass(frozen=True, slots=True)
class Target:
    """What a link names. ``ref`` and ``path`` are empty for the repository itself; a gist's id is its ``repo``."""

    kind: str  # repository | file | folder | gist
    owner: str
    repo: str
    ref: str = ""
    path: str = ""


def github_target(url: str) -> Target | None:  # noqa: C901 - one form of GitHub's addresses a branch
    """What a github.com or gist link names, or None where it is an ordinary page."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    host = (parts.hostname or "").removeprefix("www.")
    steps = [unquote(s) for s in parts.path.split("/") if s]
    if any(s in {".", ".."} or "\\" in s or "/" in s for s in steps):
        return None
    if host == "gist.github.com" and steps:
        return Target("gist", steps[0] if len(steps) > 1 else "", steps[-1] if len(steps) < 3 else steps[1])
    if host == "raw.githubusercontent.com" and len(steps) > 3:
        return Target("file", steps[0], steps[1], steps[2], "/".join(steps[3:]))
    if host != "github.com" or len(steps) < 2 or steps[0].lower() in _NOT_OWNERS:
        return None
    owner, repo = steps[0], steps[1].removesuffix(".git")
    if len(steps) == 2:
        return Target("repository", owner, repo)
    if steps[2] in _PAGES:
        return None
    if steps[2] in {"blob", "raw"} and len(steps) > 4:
        return Target("file", owner, repo, steps[3], "/".join(steps[4:]))
    if steps[2] == "tree" and len(steps) > 3:
        return Target("folder" if len(steps) > 4 else "repository", owner, repo, steps[3], "/".join(steps[4:]))
    return None
