"""What a server said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Response"]


@dataclass(frozen=True, slots=True)
class Response:
    """What a server said. ``headers`` have lower-case names; ``body`` is decoded; ``url`` is after redirects.

    ``moved_to`` is the target when every redirect on the way was permanent (301, 308), else empty.
    """

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes = b""
    moved_to: str = ""
    requested: str = ""

    @property
    def unchanged(self) -> bool:
        """Whether the server said 304 Not Modified."""
        return self.status == 304

    @property
    def content_type(self) -> str:
        """The media type without parameters, lower case."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def revision(self) -> str:
        """The ETag, else Last-Modified, in a form that ``conditional`` understands."""
        if self.headers.get("etag"):
            return f"etag:{self.headers['etag']}"
        if self.headers.get("last-modified"):
            return f"date:{self.headers['last-modified']}"
        return ""
