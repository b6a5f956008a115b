"""robots.txt (RFC 9309): fetched once a site and run, remembered, obeyed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from urllib.parse import urlsplit

from accelrag.errors import FetchFailed, FetchRefused, FetchTransient

__all__ = ["Robots"]

LONGEST = 500 * 1024  # RFC 9309, section 2.5: at least this much is read


class Robots:
    """``read(url)`` gives the text of a robots.txt, raising the errors of the transport."""

    def __init__(self, agent: str, read: Callable[[str], bytes]) -> None:
        self._agent = agent
        self._read = read
        self._known: dict[str, object] = {}
        self._lock = threading.Lock()

    def check(self, url: str) -> float:
        """Refuse a URL that its site closed to us; gives the crawl delay that the site asks for, in seconds.

        Raises:
            FetchRefused: closed to us.
            FetchTransient: the rules cannot be read now, and then the site counts as closed (section 2.3.1.4).
        """
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        with self._lock:
            known = self._known.get(origin)
        if known is None:
            known = self._rules(origin)
            with self._lock:
                self._known[origin] = known
        if isinstance(known, FetchTransient):
            raise FetchTransient(str(known), reason=known.reason, retry_after=known.retry_after, hint=known.hint)
        if not known.can_fetch(url, self._agent):  # type: ignore[attr-defined]
            raise FetchRefused(
                f"{parts.hostname} closes this address to programs", reason="robots", hint="the note alone is used"
            )
        return min(float(known.crawl_delay(self._agent) or 0.0), 30.0)  # type: ignore[attr-defined]

    def _rules(self, origin: str) -> object:
        from protego import Protego

        try:
            body = self._read(f"{origin}/robots.txt")
        except FetchTransient as error:
            return error
        except FetchRefused as error:
            if error.reason != "too-large":
                raise
            body = b""
        except FetchFailed:
            body = b""  # section 2.3.1.3: no rules when the file is unavailable
        return Protego.parse(body.decode("utf-8-sig", "replace"))
