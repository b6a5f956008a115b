"""Local language model servers that answer on their usual ports, and the command that uses each."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from accelrag.generation.http import client

__all__ = ["PORTS", "LocalServer", "discover_servers"]

PORTS: tuple[tuple[int, str], ...] = (
    (8080, "llama.cpp"),
    (11434, "Ollama"),
    (1234, "LM Studio"),
    (8000, "vLLM"),
    (30000, "SGLang"),
    (3000, "Text Generation Inference"),
    (1337, "Jan"),
    (5000, "text-generation-webui"),
    (5001, "KoboldCpp"),
    (8081, "llama.cpp"),
)
_OWNERS = {
    "llamacpp": "llama.cpp",
    "vllm": "vLLM",
    "sglang": "SGLang",
    "library": "Ollama",
    "organization_owner": "LM Studio",
}
_KEYED = (401, 403)


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server on this machine. ``command`` uses its first model; ``problem`` says why there is none."""

    name: str
    url: str
    models: tuple[str, ...]
    command: str
    problem: str = ""


def discover_servers(
    ports: Sequence[tuple[int, str]] = PORTS, *, timeout: float = 0.6, host: str = "127.0.0.1"
) -> list[LocalServer]:
    """The servers that answer within ``timeout`` seconds, in the order of ``ports``. All ports are asked at once."""
    if not ports:
        return []
    with ThreadPoolExecutor(len(ports)) as pool:
        found = pool.map(lambda port: _ask(f"http://{host}:{port[0]}", port[1], timeout), ports)
        return [server for server in found if server]


def _ask(url: str, usual: str, timeout: float) -> LocalServer | None:
    status, tags = _get(f"{url}/api/tags", timeout)
    if status == 0:
        return None
    if status == 200 and isinstance(tags, dict) and isinstance(tags.get("models"), list):
        models = _names(tags["models"], "name")
        if not models:
            return LocalServer("Ollama", url, (), "ollama pull MODEL", "it has no model yet")
        return LocalServer("Ollama", url, models, f"accelrag ask --llm ollama:{models[0]} QUESTION")
    status, listed = _get(f"{url}/v1/models", timeout)
    if status in _KEYED:
        return LocalServer(usual, url, (), "set OPENAI_API_KEY", "it asks for a key")
    if status != 200 or not isinstance(listed, dict) or not isinstance(listed.get("data"), list):
        return None
    models = _names(listed["data"], "id")
    owners = [_OWNERS.get(str(m.get("owned_by")), "") for m in listed["data"] if isinstance(m, dict)]
    name = next((owner for owner in owners if owner), usual)
    if not models:
        return LocalServer(name, url, (), "load a model in it", "it has no model loaded")
    command = f"OPENAI_BASE_URL={url}/v1 accelrag ask --llm openai:{models[0]} QUESTION"
    return LocalServer(name, url, models, command)


def _get(url: str, timeout: float) -> tuple[int, Any]:
    """Status and body; 0 where nothing answers, -1 where something does that is no such server."""
    import httpx

    try:
        with client(url, timeout=timeout) as http:
            response = http.get(url)
    except (httpx.ConnectError, httpx.ConnectTimeout):
        return 0, None
    except httpx.HTTPError:
        return -1, None
    try:
        return response.status_code, response.json()
    except ValueError:
        return response.status_code, None


def _names(models: list[Any], key: str) -> tuple[str, ...]:
    return tuple(str(m[key]) for m in models if isinstance(m, dict) and m.get(key))
