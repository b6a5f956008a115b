"""What one look at a link saw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Observation", "State"]

State = Literal["ok", "moved", "blocked", "gone", "timeout", "dns", "failing"]


@dataclass(frozen=True, slots=True)
class Observation:
    """One look at a link. ``target`` is where it leads: for good where it ``moved``, for now where it is ``ok``."""

    url: str
    state: State
    status: int = 0
    target: str = ""
    detail: str = ""
