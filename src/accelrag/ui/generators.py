"""Which models a person may choose: none, the configured one, and those of local servers that answer.

A choice is a key that the server made, never an address or a model that a visitor named.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from accelrag.errors import UsageError
from accelrag.pipeline import Assistant, LocalServer, discover_servers
from accelrag.settings import Settings

__all__ = ["NONE", "Choice", "Generators"]

_FRESH = 20.0  # seconds for which the servers that were found are taken as known


@dataclass(frozen=True, slots=True)
class Choice:
    """A generator: ``spec`` as ``--llm`` takes it, ``openai_base_url`` or ``ollama_host`` of the server."""

    key: str
    label: str
    spec: str = ""
    openai_base_url: str = ""
    ollama_host: str = ""


NONE = Choice("none", "Quotes from the sources (no model)")


class Generators:
    """Finds and remembers the generators."""

    def __init__(
        self,
        settings: Settings,
        *,
        discover: Callable[[], Sequence[LocalServer]] = discover_servers,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._discover = discover
        self._clock = clock
        self._lock = threading.Lock()
        self._found: dict[str, Choice] = {}
        self._at = float("-inf")

    @property
    def default(self) -> str:
        """The key that is chosen at first: the configured model, else none."""
        return "configured" if self._settings.llm else NONE.key

    def known(self) -> list[Choice]:
        """What can be chosen without looking again."""
        llm = self._settings.llm
        configured = [Choice("configured", f"{llm} (configured)", llm)] if llm else []
        return [NONE, *configured, *self._found.values()]

    def look(self) -> list[Choice]:
        """Look for local servers, at most once in a while, and return what can be chosen."""
        with self._lock:
            if self._clock() - self._at > _FRESH:
                found = [choice for server in self._discover() for choice in _choices(server)]
                self._found = {choice.key: choice for choice in found}
                self._at = self._clock()
        return self.known()

    def choice(self, key: str) -> Choice:
        """The choice of a key; the default for the empty one.

        Raises:
            UsageError: there is no such choice.
        """
        wanted = key or self.default
        for choice in self.known():
            if choice.key == wanted:
                return choice
        raise UsageError("that model is not at hand any more", hint="choose another one under Options")

    def using(self, assistant: Assistant, choice: Choice) -> Assistant:
        """The assistant with the server of a choice; the index is shared."""
        if not (choice.openai_base_url or choice.ollama_host):
            return assistant
        settings = replace(
            assistant.settings,
            openai_base_url=choice.openai_base_url or assistant.settings.openai_base_url,
            ollama_host=choice.ollama_host or assistant.settings.ollama_host,
        )
        return Assistant(settings, assistant.index)


def _choices(server: LocalServer) -> list[Choice]:
    found = []
    for model in server.models[:20]:
        label = f"{server.name} · {model}"
        key = f"{server.url} {model}"
        if server.name == "Ollama":
            found.append(Choice(key, label, f"ollama:{model}", ollama_host=server.url))
        else:
            found.append(Choice(key, label, f"openai:{model}", openai_base_url=f"{server.url}/v1"))
    return found
