"""Ollama by its own API, because only there the context length can be set (https://docs.ollama.com/api).

Ollama cuts a prompt that is too long without a word. So each request asks for its context by ``num_ctx``, and
the prompt is kept within it by us.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from accelrag.errors import GeneratorUnavailable
from accelrag.generation.http import body_of, client, events, failure, lines, reaching, with_scheme
from accelrag.generation.protocol import DEFAULT_CONTEXT, Message, estimate_tokens
from accelrag.generation.reasoning import ThinkFilter

if TYPE_CHECKING:
    import httpx

__all__ = ["OllamaGenerator"]

_SERVER = "Ollama"
_ENOUGH = 8192  # tokens of context that our prompts can use; more costs memory for nothing
_CHARACTERS = 12


class OllamaGenerator:
    """A model of a local Ollama."""

    def __init__(self, model: str, *, address: str = "", timeout: float = 120.0, context_tokens: int = 0) -> None:
        """``address`` as OLLAMA_HOST has it, ``timeout`` the longest silence in seconds."""
        self.name = f"ollama:{model}"
        self.finish = ""
        self._model = model
        self._base = with_scheme(address or "127.0.0.1:11434")
        if self._base.count(":") < 2:
            self._base += ":11434"
        self._timeout = timeout
        self._context = context_tokens

    def context_tokens(self) -> int:
        if not self._context:
            self._context = min(self._ask_context() or DEFAULT_CONTEXT, _ENOUGH)
        return self._context

    def count_tokens(self, text: str) -> int:
        return estimate_tokens(text)

    def stream(self, messages: Sequence[Message], *, max_tokens: int) -> Iterator[str]:
        payload = {
            "model": self._model,
            "messages": [{"role": m.role, "content": m.content} for m in messages],
            "stream": True,
            "options": {"num_ctx": self.context_tokens(), "num_predict": max_tokens, "temperature": 0},
        }
        self.finish = ""
        reasoning = ThinkFilter()
        said = False
        with reaching(_SERVER, self._base), client(self._base, timeout=self._timeout) as http:
            for delta in self._deltas(http, payload, max_tokens):
                for piece in reasoning.feed(delta):
                    said = said or bool(piece)
                    yield piece
        for piece in reasoning.close():
            said = said or bool(piece)
            yield piece
        self.finish = self.finish or "length"
        if not said:
            raise GeneratorUnavailable(
                f"{self._model} answered with nothing", hint="ask again, or try another model with --llm"
            )

    def _deltas(self, http: httpx.Client, payload: dict[str, Any], max_tokens: int) -> Iterator[str]:
        """Lines of JSON; ``message.thinking`` holds the reasoning and is left where it is."""
        left = max_tokens * _CHARACTERS + 2_000
        with http.stream("POST", f"{self._base}/api/chat", json=payload) as response:
            if response.status_code != 200:
                raise failure(_SERVER, response.status_code, body_of(response), model=self._model, url=self._base)
            for event in events(lines(response, most=max_tokens * 8 + 4_000)):
                if event.get("error"):
                    raise failure(_SERVER, 200, event, model=self._model, url=self._base)
                message = event.get("message")
                text = message.get("content") if isinstance(message, dict) else None
                if event.get("done"):
                    self.finish = "length" if event.get("done_reason") == "length" else "stop"
                if isinstance(text, str) and text:
                    left -= len(text)
                    yield text
                if left < 0:
                    self.finish = "length"
                    return

    def _ask_context(self) -> int:
        import httpx

        try:
            with client(self._base, timeout=min(self._timeout, 5.0)) as http:
                answer = http.post(f"{self._base}/api/show", json={"model": self._model}).json()
        except (httpx.HTTPError, httpx.InvalidURL, ValueError):
            return 0
        information = answer.get("model_info") if isinstance(answer, dict) else None
        if not isinstance(information, dict):
            return 0
        lengths = [v for k, v in information.items() if k.endswith(".context_length") and isinstance(v, int)]
        return max(lengths, default=0)
