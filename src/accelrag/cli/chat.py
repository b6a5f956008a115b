"""``accelrag ask --chat``: a conversation in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from accelrag.cli.console import notice, out, paint, safe
from accelrag.errors import AccelragError
from accelrag.types import Answer, Filters, Turn

if TYPE_CHECKING:
    from accelrag.pipeline import Assistant

__all__ = ["converse"]

_REMEMBERED = 12
_HELP = "/new starts afresh · /sources N shows what source N says · /quit ends"


def converse(  # noqa: C901 - the loop of a conversation
    assistant: Assistant, restricted: Filters, first: str, ask: Callable[..., Answer], *, unsupported: bool = False
) -> int:
    """Ask until the input ends. ``ask`` shows one answer and gives it. The exit code is that of the last answer."""
    history: list[Turn] = []
    last: Answer | None = None
    if sys.stdin.isatty():
        import readline  # noqa: F401 - its import gives input() a history and editing

        notice(_HELP)
    while True:
        try:
            text = first or input("> " if sys.stdin.isatty() else "").strip()
        except EOFError:
            break
        first = ""
        if not text:
            continue
        command, _, rest = text.partition(" ")
        if command in ("/quit", "/exit", "/q"):
            break
        if command == "/new":
            history, last = [], None
            notice("A new conversation.")
        elif command in ("/sources", "/source"):
            _source(last, rest.strip())
        elif command.startswith("/"):
            notice(_HELP)
        else:
            try:
                last = ask(assistant, text, restricted, unsupported=unsupported, history=tuple(history))
            except AccelragError as error:
                notice(f"error: {error}" + (f" ({error.hint})" if error.hint else ""))
                continue
            history = [*history[1 - _REMEMBERED :], Turn.of(last)]
    return 3 if last is not None and last.refused else 0


def _source(answer: Answer | None, number: str) -> None:
    if answer is None or not answer.citations:
        notice("There are no sources yet.")
        return
    wanted = [c for c in answer.citations if not number or str(c.n) == number]
    if not wanted:
        notice(f"There is no source {number}; the last answer has 1 to {len(answer.citations)}.")
        return
    quotes = {q.quote: q for s in answer.sentences for q in s.quotes}
    for citation in wanted:
        out(f"{paint(f'[{citation.n}]', 'number')} {paint(safe(citation.entry.title), 'title')}")
        out(f"    {paint(safe(citation.entry.url), 'link')}")
        for quote in (q for q in quotes.values() if q.n == citation.n):
            out(f"    “{safe(quote.quote)}”")
