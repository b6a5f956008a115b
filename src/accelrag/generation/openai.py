"""Any server that speaks OpenAI's chat completions: llama.cpp, vLLM, SGLang, LM Studio, TGI, OpenAI.

https://platform.openai.com/docs/api-reference/chat. What servers do otherwise is read too: JSON where a stream was
asked for, choices that are empty, content that is null, an error under status 200.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from accelrag.errors import GeneratorRefused, GeneratorUnavailable
from accelrag.generation.http import body_of, client, events, failure, lines, message_of, reaching, with_scheme
from accelrag.generation.protocol import DEFAULT_CONTEXT, Message, estimate_tokens
from accelrag.generation.reasoning import ThinkFilter

if TYPE_CHECKING:
    import httpx

__all__ = ["OpenAIGenerator", "base_url"]

_SERVER = "the language model server"
_CHARACTERS = 12  # of an answer for each token that was asked for; beyond it a server ignores max_tokens


def base_url(address: str) -> str:
    """The address that ``/chat/completions`` is appended to, however much of it was given."""
    url = with_scheme(address)
    url = re.sub(r"/(?:chat/completions|completions|models)$", "", url).rstrip("/")
    versioned = any(re.match(r"v\d", part) for part in urlsplit(url).path.split("/"))
    return url if versioned else f"{url}/v1"


class OpenAIGenerator:
    """A model behind an OpenAI-compatible server."""

    def __init__(
        self, model: str, *, address: str, key: str = "", timeout: float = 120.0, context_tokens: int = 0
    ) -> None:
        """``timeout`` is the longest silence in seconds, ``context_tokens`` 0 asks the server."""
        self.name = f"openai:{model}"
        self.finish = ""
        self._model = model
        self._base = base_url(address)
        self._root = re.sub(r"/v\d[^/]*$", "", self._base)
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._timeout = timeout
        self._context = context_tokens
        self._tokenizes: bool | None = None
        self._counted: dict[str, int] = {}

    def context_tokens(self) -> int:
        if not self._context:
            self._context = self._ask_context() or DEFAULT_CONTEXT
        return self._context

    def count_tokens(self, text: str) -> int:
        if text not in self._counted:
            self._counted[text] = self._count(text)
        return self._counted[text]

    def stream(self, messages: Sequence[Message], *, max_tokens: int) -> Iterator[str]:
        payload = {
            "model": self._model,
            "messages": [{"role": m.role, "content": m.content} for m in messages],
            "max_tokens": max_tokens,
            "temperature": 0,
            "stream": True,
        }
        self.finish = ""
        reasoning = ThinkFilter()
        said = False
        with reaching(_SERVER, self._base), client(self._base, timeout=self._timeout, headers=self._headers) as http:
            for delta in self._deltas(http, payload, max_tokens):
                for piece in reasoning.feed(delta):
                    said = said or bool(piece)
                    yield piece
        for piece in reasoning.close():
            said = said or bool(piece)
            yield piece
        self.finish = self.finish or "stop"
        if not said:
            cut = " before it came to an answer" if self.finish == "length" else ""
            raise GeneratorUnavailable(
                f"{self._model} answered with nothing{cut}", hint="ask again, or try another model with --llm"
            )

    def _deltas(self, http: httpx.Client, payload: dict[str, Any], max_tokens: int) -> Iterator[str]:
        for _ in range(3):
            with http.stream("POST", f"{self._base}/chat/completions", json=payload) as response:
                kind = response.headers.get("content-type", "")
                if response.status_code == 200 and "json" not in kind and "html" not in kind:
                    yield from self._events(response, max_tokens)
                    return
                body = body_of(response)
            if response.status_code == 200 and isinstance(body, dict) and not body.get("error"):
                yield self._whole(body)
                return
            if response.status_code == 200 and not isinstance(body, dict):
                raise GeneratorRefused(
                    f"{self._base} is no OpenAI-compatible server: it answers with a page",
                    hint="set OPENAI_BASE_URL; `accelrag doctor` lists the servers that answer",
                )
            if not _adapted(payload, body):
                raise failure(_SERVER, response.status_code, body, model=self._model, url=self._base)
        raise GeneratorRefused(f"{_SERVER} refuses the request: {message_of(body)}", hint="see the server's log")

    def _events(self, response: httpx.Response, max_tokens: int) -> Iterator[str]:
        left = max_tokens * _CHARACTERS + 2_000
        for event in events(self._data(response, max_tokens)):
            if event.get("error"):
                raise failure(_SERVER, 200, event, model=self._model, url=self._base)
            text = self._whole(event)
            left -= len(text) + 1
            if text:
                yield text
            if left < 0:
                self.finish = "length"
                return

    def _data(self, response: httpx.Response, max_tokens: int) -> Iterator[str]:
        """Data lines of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html)."""
        for line in lines(response, most=max_tokens * 8 + 4_000):
            data = line.removeprefix("data:").strip()
            if data == "[DONE]":
                return
            if line.startswith(("data:", "{")):
                yield data
        # A stream that stops without saying so may have broken off: the last sentence may be half.
        self.finish = self.finish or "length"

    def _whole(self, event: dict[str, Any]) -> str:
        choices = event.get("choices")
        first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
        if first.get("finish_reason"):
            self.finish = "length" if first["finish_reason"] in ("length", "max_tokens") else "stop"
        part = first.get("delta") or first.get("message") or first
        content = part.get("content") if isinstance(part, dict) else None
        if content is None and isinstance(part, dict):
            content = part.get("text")
        if isinstance(content, list):
            content = "".join(
                str(p.get("text") or "") for p in content if isinstance(p, dict) and p.get("type") == "text"
            )
        return content if isinstance(content, str) else ""

    def _ask_context(self) -> int:
        """llama.cpp tells its context under /props, vLLM and SGLang under /v1/models, TGI under /info."""
        found: list[int] = []
        places = (
            (f"{self._root}/props", ("default_generation_settings", "n_ctx")),
            (f"{self._base}/models", ("data", self._model, "max_model_len")),
            (f"{self._root}/api/v0/models", ("data", self._model, "loaded_context_length")),
            (f"{self._root}/info", ("max_total_tokens",)),
        )
        for url, path in places:
            value = _at(self._get(url), path)
            if isinstance(value, int) and value > 0:
                found.append(value)
                break
        return found[0] if found else 0

    def _get(self, url: str) -> Any:
        import httpx

        try:
            with client(url, timeout=min(self._timeout, 5.0), headers=self._headers) as http:
                response = http.get(url)
                return response.json() if response.status_code == 200 else None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError):
            return None

    def _count(self, text: str) -> int:
        """By ``/tokenize``, which llama.cpp and vLLM have; without it by an estimate."""
        import httpx

        if self._tokenizes is False:
            return estimate_tokens(text)
        payload = {"model": self._model, "content": text, "prompt": text, "add_special_tokens": False}
        try:
            with client(self._root, timeout=min(self._timeout, 5.0), headers=self._headers) as http:
                answer = http.post(f"{self._root}/tokenize", json=payload)
                tokens = answer.json()["tokens"] if answer.status_code == 200 else None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError):
            tokens = None
        self._tokenizes = isinstance(tokens, list) and (bool(tokens) or not text)
        return len(tokens) if self._tokenizes and tokens is not None else estimate_tokens(text)


def _adapted(payload: dict[str, Any], body: Any) -> bool:
    """Whether a request that a newer model refuses for a parameter was changed so that it may pass."""
    text = message_of(body)
    if "max_tokens" in payload and "max_completion_tokens" in text:
        payload["max_completion_tokens"] = payload.pop("max_tokens")
        return True
    if "temperature" in payload and "temperature" in text:
        del payload["temperature"]
        return True
    return False


def _at(value: Any, path: Sequence[str]) -> Any:
    for key in path:
        if isinstance(value, list):
            value = next(
                (v for v in value if isinstance(v, dict) and v.get("id") == key), value[0] if value else None
            )
        elif isinstance(value, dict):
            value = value.get(key)
        else:
            return None
    return value
