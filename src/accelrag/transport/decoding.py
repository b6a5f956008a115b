"""Content codings (RFC 9110, section 8.4), undone as a stream so that a bomb stops at the limit."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Protocol

from accelrag.errors import FetchFailed, FetchRefused

__all__ = ["ACCEPT_ENCODING", "decoder_for"]

ACCEPT_ENCODING = "gzip, deflate, br"
_STEP = 65_536


class Decoder(Protocol):
    """Turns wire bytes into content bytes, at most about 64 KiB in each piece."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The content that became known with these bytes."""
        ...

    def finish(self) -> None:
        """Say whether the stream was whole.

        Raises:
            FetchFailed: it was cut off.
        """
        ...


class _Identity:
    def feed(self, data: bytes) -> Iterator[bytes]:
        yield data

    def finish(self) -> None:
        return None


class _Zlib:
    def __init__(self, *, gzip: bool) -> None:
        self._gzip = gzip
        self._inner = zlib.decompressobj(zlib.MAX_WBITS | 16 if gzip else zlib.MAX_WBITS)
        self._started = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        if not self._started and data and not self._gzip and data[0] & 0x0F != 8:
            # "deflate" means zlib (RFC 9110, 8.4.1.2), and some servers send it bare.
            self._inner = zlib.decompressobj(-zlib.MAX_WBITS)
        self._started = self._started or bool(data)
        while data:
            if self._inner.eof:
                if not self._gzip or data[:2] != b"\x1f\x8b":
                    return
                self._inner = zlib.decompressobj(zlib.MAX_WBITS | 16)
            try:
                piece = self._inner.decompress(data, _STEP)
            except zlib.error as error:
                raise FetchFailed(f"the body is not what its coding says: {error}", reason="bad-encoding") from error
            if piece:
                yield piece
            data = self._inner.unconsumed_tail or self._inner.unused_data

    def finish(self) -> None:
        if self._started and not self._inner.eof:
            raise FetchFailed("the compressed body was cut off", reason="bad-encoding")


class _Brotli:
    def __init__(self) -> None:
        import brotli

        self._error = brotli.error
        self._inner = brotli.Decompressor()
        self._started = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._started = self._started or bool(data)
        while True:
            try:
                piece = self._inner.process(data, output_buffer_limit=_STEP)
            except self._error as error:
                raise FetchFailed("the body is not what its coding says", reason="bad-encoding") from error
            data = b""
            if piece:
                yield piece
            if self._inner.is_finished() or self._inner.can_accept_more_data():
                return

    def finish(self) -> None:
        if self._started and not self._inner.is_finished():
            raise FetchFailed("the compressed body was cut off", reason="bad-encoding")


class _Chain:
    def __init__(self, outer: Decoder, inner: Decoder) -> None:
        self._outer = outer
        self._inner = inner

    def feed(self, data: bytes) -> Iterator[bytes]:
        for piece in self._outer.feed(data):
            yield from self._inner.feed(piece)

    def finish(self) -> None:
        self._outer.finish()
        self._inner.finish()


def decoder_for(coding: str) -> Decoder:
    """The decoder for a Content-Encoding header.

    Raises:
        FetchRefused: a coding that was not asked for, or more than two on top of each other.
    """
    names = [name for name in (part.strip().lower() for part in coding.split(",")) if name not in {"", "identity"}]
    if len(names) > 2:
        raise FetchRefused(f"the body is coded {len(names)} times over", reason="bad-encoding")
    decoder: Decoder = _Identity()
    for name in names:
        decoder = _Chain(_one(name), decoder) if len(names) > 1 else _one(name)
    return decoder


def _one(name: str) -> Decoder:
    if name in {"gzip", "x-gzip"}:
        return _Zlib(gzip=True)
    if name == "deflate":
        return _Zlib(gzip=False)
    if name == "br":
        return _Brotli()
    raise FetchRefused(f"the body is coded as {name[:40]!r}", reason="bad-encoding")
