"""Which addresses may be connected to.

A name is resolved once, every address it gives is judged, and the connection is made to a judged address: a second
look-up that answers something else (DNS rebinding) is never made. The registries of special addresses are
https://www.iana.org/assignments/iana-ipv4-special-registry and iana-ipv6-special-registry, through ``ipaddress``.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Callable, Iterable
from urllib.parse import quote, urlsplit, urlunsplit

import httpcore

from accelrag.errors import FetchRefused, FetchTransient

__all__ = ["PinnedBackend", "Resolver", "Timed", "checked_url", "resolve_by_system", "vet_address"]

Resolver = Callable[[str, int], list[str]]

_LEGACY_V4 = re.compile(r"^(0[xX][0-9a-fA-F]+|\d+)(\.(0[xX][0-9a-fA-F]+|\d+)){0,3}\.?$")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
# Of the cloud metadata services these are the ones that are not link-local (AWS over IPv6, Oracle, Alibaba).
_METADATA = {ipaddress.ip_address(a) for a in ("fd00:ec2::254", "192.0.0.192", "100.100.100.200")}
_COMPATIBLE = ipaddress.ip_network("::/96")


def resolve_by_system(host: str, port: int) -> list[str]:
    """The addresses of a name by the system's resolver.

    Raises:
        OSError: the name does not resolve.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def checked_url(url: str) -> str:
    """The URL with an ASCII host and a quoted path, without fragment and credentials.

    Raises:
        FetchRefused: the scheme is not http or https, or the URL has no usable host.
    """
    try:
        parts = urlsplit(url.strip())
        port, host = parts.port, parts.hostname or ""
    except ValueError as error:
        raise FetchRefused(f"{url[:200]!r} is no URL: {error}", reason="refused-address") from error
    if parts.scheme not in {"http", "https"}:
        raise FetchRefused(
            f"only http and https are fetched, not {parts.scheme or 'a path'}: {url[:200]!r}",
            reason="refused-address",
            hint="put an http or https link into the list",
        )
    if ":" not in host:
        try:
            host = host.encode("ascii").decode() if host.isascii() else host.encode("idna").decode()
        except UnicodeError as error:
            raise FetchRefused(f"{host[:200]!r} is no host name", reason="refused-address") from error
    host = host.rstrip(".")
    if not host or re.search(r"[\s%\\@/?#\x00-\x20]", host) or len(host) > 253:
        raise FetchRefused(f"{url[:200]!r} has no usable host", reason="refused-address")
    netloc = f"[{host}]" if ":" in host else host
    if port:
        netloc += f":{port}"
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    query = quote(parts.query, safe="/%:@!$&'()*+,;=~-._?")
    return urlunsplit((parts.scheme, netloc, path, query, ""))


def vet_address(address: str, *, allow_private: bool) -> None:
    """Refuse an address that is not on the public internet.

    ``allow_private`` opens loopback, RFC 1918 and unique local addresses; link-local, metadata, shared (RFC 6598),
    multicast and reserved addresses stay closed.

    Raises:
        FetchRefused: the address is closed.
    """
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError as error:
        raise FetchRefused(f"{address!r} is no address", reason="refused-address") from error
    for inner in _unwrapped(ip):
        if inner.is_loopback:  # asked first, as ::1 also counts as reserved
            if not allow_private:
                raise _closed(address)
            continue
        odd = inner.is_multicast or inner.is_reserved or inner.is_unspecified or inner.is_link_local
        if odd or inner in _METADATA or not (inner.is_global or (allow_private and inner.is_private)):
            raise _closed(address)


def _closed(address: str) -> FetchRefused:
    return FetchRefused(
        f"{address} is not a public address",
        reason="refused-address",
        hint="ACCELRAG_ALLOW_PRIVATE=1 opens loopback and private addresses",
    )


def _unwrapped(
    ip: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> Iterable[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    """The addresses that an address leads to: an IPv4 one may hide in five forms of IPv6."""
    if isinstance(ip, ipaddress.IPv4Address):
        return [ip]
    if ip.ipv4_mapped:
        return [ip.ipv4_mapped]
    low = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    if ip in _NAT64:
        return [low]
    if ip in _COMPATIBLE and int(ip) > 1:
        return [low]
    if ip.sixtofour:
        return [ip.sixtofour]
    if ip.teredo:
        return list(ip.teredo)
    return [ip]


class Timed(httpcore.NetworkStream):
    """A connection whose every operation ends at the deadline of the request that uses it.

    ``httpx`` and ``httpcore`` bound each read, so a server that drips one byte at a time could hold them for days.
    """

    def __init__(self, stream: httpcore.NetworkStream, left: Callable[[], float]) -> None:
        self._stream = stream
        self._left = left

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._bounded(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._bounded(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: object, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        inner = self._stream.start_tls(ssl_context, server_hostname, self._bounded(timeout))  # type: ignore[arg-type]
        return Timed(inner, self._left)

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)

    def _bounded(self, timeout: float | None) -> float:
        left = self._left()
        if left <= 0:
            raise httpcore.ReadTimeout("the time for this fetch is over")
        return left if timeout is None else min(timeout, left)


class PinnedBackend(httpcore.NetworkBackend):
    """Resolves, judges and connects in one step."""

    def __init__(self, resolve: Resolver, left: Callable[[], float], *, allow_private: bool) -> None:
        self._resolve = resolve
        self._left = left
        self._allow_private = allow_private
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        addresses = self._addresses(host, port)
        for address in addresses:
            vet_address(address, allow_private=self._allow_private)
        problem: Exception | None = None
        for address in addresses[:4]:
            left = self._left()
            if left <= 0:
                break
            wait = left if timeout is None else min(timeout, left)
            try:
                stream = self._sockets.connect_tcp(address, port, wait, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                problem = error
                continue
            return Timed(stream, self._left)
        raise problem or httpcore.ConnectTimeout("the time for this fetch is over")

    def _addresses(self, host: str, port: int) -> list[str]:
        if ":" in host:
            return [host]
        if _LEGACY_V4.match(host):
            try:
                return [socket.inet_ntoa(socket.inet_aton(host.rstrip(".")))]
            except OSError as error:
                raise FetchRefused(f"{host!r} is no address", reason="refused-address") from error
        try:
            found = self._resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise FetchTransient(
                f"the name {host} does not resolve", reason="dns", hint="check the link and the network"
            ) from error
        if not found:
            raise FetchTransient(f"the name {host} does not resolve", reason="dns")
        return found
