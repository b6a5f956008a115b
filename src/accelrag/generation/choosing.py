"""A spec such as ``openai:qwen3`` -> a Generator, by exact prefix."""

from __future__ import annotations

from collections.abc import Callable

from accelrag.errors import SettingsError, UsageError
from accelrag.generation.protocol import Generator
from accelrag.settings import Settings

__all__ = ["PREFIXES", "make_generator"]


def _openai(model: str, settings: Settings) -> Generator:
    from accelrag.generation.openai import OpenAIGenerator

    address = settings.openai_base_url
    if not address and settings.openai_api_key:
        address = "https://api.openai.com/v1"
    if not address:
        raise SettingsError(
            f"openai:{model} has no server to ask",
            hint="set OPENAI_BASE_URL, for example http://127.0.0.1:8080/v1; `accelrag doctor` lists local servers",
        )
    return OpenAIGenerator(
        model,
        address=address,
        key=settings.openai_api_key,
        timeout=settings.llm_timeout,
        context_tokens=settings.context_tokens,
    )


def _ollama(model: str, settings: Settings) -> Generator:
    from accelrag.generation.ollama import OllamaGenerator

    return OllamaGenerator(
        model,
        address=settings.ollama_host,
        timeout=settings.llm_timeout,
        context_tokens=settings.context_tokens,
    )


def _huggingface(model: str, settings: Settings) -> Generator:
    from accelrag.generation.huggingface import HuggingFaceGenerator

    return HuggingFaceGenerator(model, timeout=settings.llm_timeout, context_tokens=settings.context_tokens)


_MAKERS: dict[str, Callable[[str, Settings], Generator]] = {
    "openai": _openai,
    "ollama": _ollama,
    "hf": _huggingface,
}
PREFIXES = tuple(_MAKERS)


def make_generator(spec: str, settings: Settings) -> Generator:
    """The generator that a spec names. Nothing is contacted or loaded yet.

    Raises:
        UsageError: the spec is none of ``openai:MODEL``, ``ollama:MODEL`` and ``hf:MODEL``.
        SettingsError: it needs a setting that is empty.
    """
    prefix, colon, model = spec.strip().partition(":")
    if prefix not in _MAKERS or not colon or not model.strip():
        forms = ", ".join(f"{p}:MODEL" for p in PREFIXES)
        raise UsageError(
            f"unknown language model {spec!r}", hint=f"give {forms}; `accelrag doctor` lists the local servers"
        )
    return _MAKERS[prefix](model.strip(), settings)
