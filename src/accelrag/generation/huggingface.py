"""A transformers model in this process: a local folder, or a hub name when one is named."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import Empty
from typing import Any

from accelrag.errors import GeneratorRefused, GeneratorUnavailable
from accelrag.generation.protocol import DEFAULT_CONTEXT, ContextOverflow, Message
from accelrag.generation.reasoning import ThinkFilter

__all__ = ["HuggingFaceGenerator"]


class HuggingFaceGenerator:
    """Loads at the first use and stays loaded."""

    def __init__(self, model: str, *, timeout: float = 120.0, context_tokens: int = 0) -> None:
        """``timeout`` is the longest wait for the next word, in seconds."""
        self.name = f"hf:{model}"
        self.finish = ""
        self._path = model
        self._timeout = timeout
        self._context = context_tokens
        self._loaded: tuple[Any, Any] | None = None

    def context_tokens(self) -> int:
        if not self._context:
            tokenizer, model = self._load()
            longest = getattr(model.config, "max_position_embeddings", 0) or tokenizer.model_max_length
            self._context = int(longest) if 0 < int(longest) < 10_000_000 else DEFAULT_CONTEXT
        return self._context

    def count_tokens(self, text: str) -> int:
        tokenizer, _ = self._load()
        return len(tokenizer.encode(text, add_special_tokens=False))

    def stream(self, messages: Sequence[Message], *, max_tokens: int) -> Iterator[str]:
        from transformers import TextIteratorStreamer

        tokenizer, model = self._load()
        inputs = self._inputs(tokenizer, messages)
        length = int(inputs["input_ids"].shape[-1])
        if length + max_tokens > self.context_tokens():
            raise ContextOverflow(
                f"the prompt is longer than the context of {self.name}", limit=self.context_tokens(), hint="use less"
            )
        streamer = TextIteratorStreamer(tokenizer, skip_prompt=True, skip_special_tokens=True, timeout=self._timeout)
        stop = _Stop()
        self.finish = ""
        padding = tokenizer.pad_token_id or tokenizer.eos_token_id
        options = {"max_new_tokens": max_tokens, "stopping_criteria": [stop], "pad_token_id": padding}
        thread, failed = _generating(model, {**inputs, **options}, streamer)
        reasoning = ThinkFilter()
        said = False
        try:
            for delta in streamer:
                for piece in reasoning.feed(delta):
                    said = said or bool(piece)
                    yield piece
        except Empty as error:
            raise GeneratorUnavailable(f"{self.name} did not answer in time", hint="raise llm_timeout") from error
        finally:
            stop.now = True
        thread.join(self._timeout)
        if failed:
            raise GeneratorUnavailable(f"{self.name} failed: {failed[0]}", hint="try another model with --llm")
        for piece in reasoning.close():
            said = said or bool(piece)
            yield piece
        self.finish = "length" if stop.count >= max_tokens else "stop"
        if not said:
            raise GeneratorUnavailable(f"{self.name} answered with nothing", hint="try another model with --llm")

    def _load(self) -> tuple[Any, Any]:
        if self._loaded is None:
            from transformers import AutoModelForCausalLM, AutoTokenizer

            local = Path(self._path).expanduser()
            if not local.is_dir() and (
                local.is_absolute() or self._path.startswith(".") or self._path.count("/") > 1
            ):
                raise GeneratorRefused(f"there is no folder {self._path}", hint="name a folder or a model of the hub")
            name = str(local) if local.is_dir() else self._path
            try:
                tokenizer = AutoTokenizer.from_pretrained(name, local_files_only=local.is_dir())
                model = AutoModelForCausalLM.from_pretrained(name, local_files_only=local.is_dir())
            except Exception as error:
                first = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
                raise GeneratorRefused(
                    f"the model {self._path} cannot be loaded: {first}", hint="name a folder or a model of the hub"
                ) from error
            model.eval()
            self._loaded = (tokenizer, model)
        return self._loaded

    def _inputs(self, tokenizer: Any, messages: Sequence[Message]) -> Any:
        turns = [{"role": m.role, "content": m.content} for m in messages]
        if getattr(tokenizer, "chat_template", None):
            return tokenizer.apply_chat_template(
                turns, add_generation_prompt=True, return_tensors="pt", return_dict=True
            )
        text = "\n\n".join(m.content for m in messages) + "\n\nAnswer:"
        return tokenizer(text, return_tensors="pt")


def _generating(model: Any, options: dict[str, Any], streamer: Any) -> tuple[threading.Thread, list[BaseException]]:
    """Start generation in a thread; what it raises is in the list once the streamer has ended."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            model.generate(**options, streamer=streamer, do_sample=False)
        except BaseException as error:  # noqa: BLE001 - it is raised in the reader's thread
            failed.append(error)
            streamer.end()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, failed


class _Stop:
    """Ends generation when nobody reads any more, and counts the tokens."""

    def __init__(self) -> None:
        self.now = False
        self.count = 0

    def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:
        self.count += 1
        return input_ids.new_full((input_ids.shape[0],), int(self.now)).bool()
