"""What one probe of a link saw, and what that means after the probes before it. Pure: the clock is handed in.

A link is dead only when two probes at least a day apart found nothing behind it and none in between found something:
servers restart, name servers fail, and a curator who deletes a good link on a bad night is worse than none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import get_args

from accelrag.listing import canonical_url
from accelrag.types import Observation, State

__all__ = ["LinkHealth", "health_from_json", "health_to_json", "judge", "observed"]

_DEAD: frozenset[State] = frozenset({"gone", "timeout", "dns", "failing"})
_GONE = frozenset({404, 410})
# Answers that sites give to programs while people see the page; 999 is LinkedIn's own.
_BLOCKED = frozenset({401, 402, 403, 405, 406, 407, 418, 423, 429, 451, 503, 999})
_APART = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class LinkHealth:
    """What is known of a link. Times are ISO 8601 in UTC; ``first_seen_dead`` is empty while it answers."""

    url: str
    state: State
    target: str = ""
    status: int = 0
    detail: str = ""
    first_seen_dead: str = ""
    checked_at: str = ""

    @property
    def suspected(self) -> bool:
        """Whether the last probe found nothing."""
        return self.state in _DEAD

    @property
    def dead(self) -> bool:
        """Whether two probes at least a day apart agree that nothing is there."""
        if not self.suspected or not self.first_seen_dead:
            return False
        return datetime.fromisoformat(self.checked_at) - datetime.fromisoformat(self.first_seen_dead) >= _APART


def observed(url: str, status: int, *, final: str = "", permanent: bool = False, error: str = "") -> Observation:
    """Class of a probe's outcome.

    ``status`` is the last HTTP status, 0 when there was no answer; ``final`` the address that answered, ``permanent``
    whether every redirect on the way was a 301 or 308; ``error`` is ``timeout``, ``dns`` or other words.
    """
    if not status:
        state: State = "timeout" if error == "timeout" else "dns" if error == "dns" else "failing"
        return Observation(url, state, 0, "", error)
    if status in _GONE:
        return Observation(url, "gone", status)
    if status in _BLOCKED:
        return Observation(url, "blocked", status)
    if status >= 400:
        return Observation(url, "failing", status)
    if permanent and final and canonical_url(final) != canonical_url(url):
        return Observation(url, "moved", status, final)
    return Observation(url, "ok", status)


def judge(previous: LinkHealth | None, observation: Observation, now: datetime) -> LinkHealth:
    """What is known of a link after one more probe. ``now`` carries its time zone."""
    first = ""
    if observation.state in _DEAD:
        first = previous.first_seen_dead if previous is not None and previous.suspected else ""
        # A clock that was set back would make a link dead, or keep it alive, by itself: the count starts again.
        if not first or datetime.fromisoformat(first) > now:
            first = now.isoformat(timespec="seconds")
    return LinkHealth(
        observation.url,
        observation.state,
        observation.target,
        observation.status,
        observation.detail,
        first,
        now.isoformat(timespec="seconds"),
    )


def health_to_json(health: Mapping[str, LinkHealth]) -> str:
    """The state that the next run starts from."""
    return json.dumps([asdict(health[url]) for url in sorted(health)], ensure_ascii=False, indent=1)


def health_from_json(text: str) -> dict[str, LinkHealth]:
    """The state that the last run left; what cannot be read is left out and so probed anew."""
    try:
        raw = json.loads(text or "[]")
    except ValueError:
        return {}
    found = {}
    for item in raw if isinstance(raw, list) else []:
        try:
            health = LinkHealth(**item)
            times = [datetime.fromisoformat(t) for t in (health.first_seen_dead, health.checked_at) if t]
        except (TypeError, ValueError):
            continue
        if health.state in get_args(State) and isinstance(health.url, str) and all(t.tzinfo for t in times):
            found[health.url] = health
    return found
