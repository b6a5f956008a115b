"""A list from where its curator keeps it: an address, or a GitHub repository whose README it is."""

from __future__ import annotations

import re

from accelrag.errors import FetchFailed, ListError
from accelrag.settings import Settings
from accelrag.sources.targets import github_target
from accelrag.transport import Response, Transport

__all__ = ["fetch_list"]

_LONGEST = 20_000_000
_SHORT = re.compile(r"^(?:gh:|github:)?([A-Za-z0-9][\w-]{0,38}/[\w.-]{1,100})$")


def fetch_list(
    where: str, transport: Transport, *, settings: Settings | None = None, revision: str = ""
) -> tuple[bytes, str]:
    """The bytes of a list and its revision. An unchanged list gives no bytes and the revision that was asked about.

    ``where`` is an http(s) address, a GitHub repository's address, or ``owner/name``.

    Raises:
        FetchTransient, FetchRefused, FetchFailed: as by the transport.
        ListError: the address gives a web page or nothing.
    """
    settings = settings or transport.settings
    short = _SHORT.match(where.strip())
    url = f"https://github.com/{short[1]}" if short else where.strip()
    target = github_target(url)
    if target is None:
        return _checked(
            transport.get(url, max_bytes=_LONGEST, revision=revision, accept="text/markdown, text/plain, */*"),
            revision,
        )
    ref = target.ref or "HEAD"
    root = f"{settings.github_raw.rstrip('/')}/{target.owner}/{target.repo}/{ref}/"
    folder = f"{target.path}/" if target.kind == "folder" else ""
    names = (
        [target.path]
        if target.kind == "file"
        else [folder + n for n in ("README.md", "readme.md", "Readme.md", "README.markdown")]
    )
    for name in names:
        response = transport.get(
            root + name, max_bytes=_LONGEST, revision=revision, robots=False, spacing=0.0, also={404}
        )
        if response.status != 404:
            return _checked(response, revision)
    # A README of another name, which only the API knows.
    headers = {"authorization": f"Bearer {settings.github_token}"} if settings.github_token else {}
    api = f"{settings.github_api.rstrip('/')}/repos/{target.owner}/{target.repo}/readme"
    if target.kind == "file":
        raise FetchFailed(f"{url} does not exist", reason="not-found", hint="check the address of the list")
    found = transport.get(
        api, headers=headers, accept="application/vnd.github.raw+json", robots=False, revision=revision
    )
    return _checked(found, revision)


def _checked(response: Response, revision: str) -> tuple[bytes, str]:
    if response.unchanged:
        return b"", revision
    if not response.body.strip():
        raise ListError(f"{response.url} is empty", hint="check the address of the list")
    page = response.content_type in {"text/html", "application/xhtml+xml"}
    if page or re.match(rb"\s*(?:<!doctype html|<html)", response.body[:512], re.IGNORECASE):
        raise ListError(
            f"{response.url} is a web page, not a list in Markdown",
            hint="give the address of the Markdown file itself, or of its GitHub repository",
        )
    return response.body, response.revision
