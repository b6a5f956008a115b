"""Takes a model's reasoning out of its answer: whole think tags, tags only opened, tags only closed.

Templates of reasoning models often write the opening tag themselves, so that the model's text starts inside its
reasoning and holds the closing tag alone. Nothing tells this before that tag comes; so the start of an answer is held
back until it cites a source or grows long, and what was given out all the same is taken back by a ``Retract``.
"""

from __future__ import annotations

import re

from accelrag.generation.protocol import Retract

__all__ = ["ThinkFilter"]

_OPEN = re.compile(r"<(think|thinking|reasoning|thought|reflection)>|\[THINK\]|<\|begin_of_thought\|>", re.IGNORECASE)
_CLOSE = re.compile(
    r"</(?:think|thinking|reasoning|thought|reflection)>|\[/THINK\]|<\|end_of_thought\|>", re.IGNORECASE
)
_LONGEST_TAG = 24
_HELD = 800  # characters that are held back at the start
_CITES = re.compile(r"[\[【]\^?(?:source\s*)?\d{1,3}[^\]】]{0,20}[\]】]", re.IGNORECASE)


class ThinkFilter:
    """Feed it the model's deltas; it gives what is answer. ``close`` gives the rest."""

    def __init__(self) -> None:
        self._pending = ""  # may still become a tag
        self._held = ""  # answer text that is not given out yet
        self._thinking = False
        self._live = False
        self._given = False

    def feed(self, delta: str) -> list[str]:
        """Take a delta; give the pieces of the answer that are certain enough."""
        self._pending += delta
        return self._read(final=False)

    def close(self) -> list[str]:
        """The model has ended. A tag that never closed leaves what stands before it."""
        return self._read(final=True)

    def _read(self, *, final: bool) -> list[str]:
        out: list[str] = []
        while True:
            if self._thinking:
                closing = _CLOSE.search(self._pending)
                if not closing:
                    self._pending = "" if final else self._pending[-_LONGEST_TAG:]
                    break
                self._pending = self._pending[closing.end() :]
                self._thinking = False
                continue
            opening, closing = _OPEN.search(self._pending), _CLOSE.search(self._pending)
            if closing and not (opening and opening.start() < closing.start()):
                # Closed and never opened: all that came before was reasoning.
                self._pending = self._pending[closing.end() :]
                self._held = ""
                if self._given:
                    out = [Retract("")]
                    self._given = False
                else:
                    out = []
                continue
            if opening:
                self._hold(self._pending[: opening.start()], out)
                self._pending = self._pending[opening.end() :]
                self._thinking = True
                continue
            safe = len(self._pending) if final else self._safe()
            self._hold(self._pending[:safe], out)
            self._pending = self._pending[safe:]
            break
        if final:
            self._live = True
            self._hold("", out)
        return out

    def _safe(self) -> int:
        """How much of what is pending cannot be the start of a tag."""
        tail = max(self._pending.rfind("<", -_LONGEST_TAG), self._pending.rfind("[", -_LONGEST_TAG))
        if tail < 0 or len(self._pending) - tail > _LONGEST_TAG:
            return len(self._pending)
        piece = self._pending[tail:]
        return len(self._pending) if re.search(r"[>\]\s]", piece[1:]) else tail

    def _hold(self, text: str, out: list[str]) -> None:
        if self._given or self._live:
            text = self._held + text
            self._held = ""
            if not self._given:
                text = text.lstrip()
            if text:
                out.append(text)
                self._given = True
            return
        self._held += text
        if len(self._held) > _HELD or _CITES.search(self._held):
            self._live = True
            self._hold("", out)
