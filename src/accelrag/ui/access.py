"""Who may ask, who may change the library, and under which names and from which origins.

A page of another site may make a visitor's browser send requests here (https://owasp.org/www-community/attacks/csrf),
or let its own name point to this machine (DNS rebinding), and a proxy on this machine makes every visitor look local.
So a request has to name a host that this server answers to, a browser's request has to come from this very page, and
only what came straight from a browser on this machine counts as local.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

from accelrag.errors import SettingsError
from accelrag.settings import Settings, is_loopback
from accelrag.ui.logins import Logins

__all__ = ["Access", "headers_of"]

_PORTS = {"http": 80, "https": 443}
# Any of them means that somebody passed the request on: RFC 7239, RFC 9110 section 7.6.3, and common practice.
_PASSED_ON = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip")
_READING = ("GET", "HEAD", "OPTIONS")

Scope = Mapping[str, Any]
Library = Literal["local", "login", "everyone"]


@dataclass(frozen=True, slots=True)
class Access:
    """The rules of one server."""

    host: str  # the address that is listened on
    public: str = ""  # scheme://host[:port] under which others reach it
    library: Library = "local"
    logins: Logins | None = None
    root_path: str = ""
    embed_in: str = ""

    @classmethod
    def of(cls, settings: Settings, logins: Logins | None) -> Access:
        """The rules that the settings mean.

        Raises:
            SettingsError: ``public_url`` or ``library`` has a value that means nothing.
        """
        parts = urlsplit(settings.public_url)
        if settings.public_url and (parts.scheme not in _PORTS or not parts.hostname):
            raise SettingsError(
                f"public_url is no address of the web: {settings.public_url!r}",
                hint="give the whole address, such as https://lists.example.org",
            )
        library = settings.library
        if library not in ("local", "login", "everyone"):
            raise SettingsError(f"library cannot be {library!r}", hint="give local, login or everyone")
        if library == "login" and logins is None:
            raise SettingsError("library is login, and there is no login", hint="set auth as well")
        public = _origin(settings.public_url)
        return cls(settings.host, public, library, logins, settings.root_path, settings.embed_in)  # type: ignore[arg-type]

    def refusal(self, scope: Scope) -> str:
        """Why a request is refused for the host it names or the origin it comes from; empty where it is not."""
        headers = headers_of(scope)
        named = headers.get("host", "")
        if not self._answers_to(named):
            return (
                f"this page does not answer to the name {named[:80]!r}: "
                "behind a proxy it has to know its address (accelrag serve --public-url https://NAME)"
            )
        origin = headers.get("origin")
        if origin is None:
            foreign = headers.get("sec-fetch-site", "none") in ("cross-site", "same-site")
            changes = scope["method"] not in _READING or scope["path"].endswith("/logout")
            return "requests of another site are not answered" if foreign and changes else ""
        scheme = origin.partition("://")[0].lower()  # the browser's: a proxy may have ended its TLS
        own = {_origin(f"{scheme}://{named}"), self.public}
        return "" if _origin(origin) in own - {""} else "requests of another site are not answered"

    def is_admin(self, scope: Scope, user: str | None) -> bool:
        """Whether a request may change the library. ``user`` is who logged in."""
        if self.library == "everyone":
            return True
        if self.logins is not None:
            return user in self.logins.admins
        return self.library == "local" and self.is_straight(scope)

    def is_straight(self, scope: Scope) -> bool:
        """Whether a request came from this machine and nobody passed it on.

        A proxy shows by its headers, by the name or port that its visitors see, or by speaking HTTP/1.0, as nginx
        does unless it is told otherwise.
        """
        headers = headers_of(scope)
        client = (scope.get("client") or ("", 0))[0]
        port = (scope.get("server") or ("", 0))[1]
        name, named_port = _host_and_port(headers.get("host", ""), "http")
        passed_on = any(header in headers for header in _PASSED_ON)
        own = is_loopback(name) and named_port == port
        behind = bool(self.public or self.root_path) or scope.get("http_version") == "1.0"
        return is_loopback(client) and own and not passed_on and not behind

    def frame_ancestors(self) -> str:
        """The Content-Security-Policy source list of pages that may show this one in a frame."""
        return " ".join(["'self'", *self.embed_in.split()])

    def _answers_to(self, named: str) -> bool:
        if not is_loopback(self.host):
            return True  # it may be reached by any address of this machine; a login's cookie is bound to one name
        name, _ = _host_and_port(named, "http")
        return is_loopback(name) or (bool(self.public) and name == urlsplit(self.public).hostname)


def headers_of(scope: Scope) -> dict[str, str]:
    """The headers of an ASGI request by lower-case name."""
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


def _origin(url: str) -> str:
    """``scheme://host:port`` of an address, the port always there; empty where it has none."""
    scheme = url.partition("://")[0].lower()
    if scheme not in _PORTS:
        return ""
    name, port = _host_and_port(url.partition("://")[2].partition("/")[0], scheme)
    return f"{scheme}://{name}:{port}" if name else ""


def _host_and_port(named: str, scheme: str) -> tuple[str, int]:
    try:
        parts = urlsplit(f"//{named}")
        return (parts.hostname or "").rstrip("."), parts.port or _PORTS[scheme]
    except ValueError:
        return "", 0
