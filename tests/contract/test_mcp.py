"""The MCP server against the SDK's own client, over real standard streams."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from accelrag.pipeline import Assistant, build_index
from accelrag.settings import Settings
from page_home import PAGE_LIST, fill_corpus, indexed_home

QUESTION = "Which cycle-accurate simulator models DRAM?"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, tiny_encoder: Path) -> Path:
    return indexed_home(tmp_path_factory.mktemp("mcp") / "home", model=str(tiny_encoder))


def command(home: Path, model: Path) -> list[str]:
    return ["-m", "accelrag", "mcp", "--home", str(home), "--model", str(model)]


def talk(home: Path, model: Path, work: Callable[[Any], Coroutine[Any, Any, Any]]) -> Any:
    from mcp import Client, StdioServerParameters

    async def main() -> Any:
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("ACCELRAG_", "OPENAI_"))}
        server = StdioServerParameters(command=sys.executable, args=command(home, model), env=environment)
        async with Client(server) as client:
            return await work(client)

    return asyncio.run(main())


def without_times(value: dict[str, Any]) -> dict[str, Any]:
    return json.loads(json.dumps({k: v for k, v in value.items() if k != "timings"}))  # type: ignore[no-any-return]


def test_each_tool_is_listed_and_answers_as_the_command_line_does(served: Path, tiny_encoder: Path) -> None:
    async def work(client: Any) -> Any:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        calls = {
            "search": {"query": "DRAM simulator", "limit": 3},
            "ask": {"question": QUESTION},
            "show_entry": {"entry": "DRAMpipe"},
            "list_sections": {},
        }
        return tools, {name: await client.call_tool(name, given) for name, given in calls.items()}

    tools, results = talk(served, tiny_encoder, work)
    assert set(tools) == {"search", "ask", "show_entry", "list_sections"}
    assert all(tool.description and tool.annotations.read_only_hint for tool in tools.values())
    assert not any(result.is_error for result in results.values())
    assistant = Assistant.open(Settings(home=served, model=str(tiny_encoder)))
    found = assistant.search("DRAM simulator", limit=3)
    said = {name: result.structured_content for name, result in results.items()}
    assert without_times(said["search"]) == without_times(found.to_dict())
    assert without_times(said["ask"]) == without_times(assistant.ask(QUESTION).to_dict())
    shown = assistant.show("DRAMpipe")
    assert said["show_entry"] == without_times(shown.to_dict())
    assert {"path": ["Kernels", "Attention"], "entries": 2} in said["list_sections"]["sections"]
    assert said["list_sections"]["entries"] == 6
    assistant.close()


def test_errors_are_marked_and_say_what_to_do(served: Path, tiny_encoder: Path) -> None:
    async def work(client: Any) -> Any:
        return [
            await client.call_tool("show_entry", {"entry": "no such thing"}),
            await client.call_tool("search", {"query": "DRAM", "section": "Nowhere"}),
            await client.call_tool("ask", {"question": "  "}),
        ]

    for result in talk(served, tiny_encoder, work):
        assert result.is_error
        assert result.structured_content["error"]["hint"]


def test_a_newer_index_is_taken_between_two_calls(tmp_path: Path, tiny_encoder: Path) -> None:
    home, settings = tmp_path / "home", Settings(home=tmp_path / "home", model=str(tiny_encoder))
    fill_corpus(home, PAGE_LIST, {})
    build_index(settings)

    async def work(client: Any) -> Any:
        before = await client.call_tool("list_sections", {})
        more = "- [Sandpile](https://github.com/example/sandpile) — A simulator of avalanches.\n"
        fill_corpus(home, PAGE_LIST + more, {})
        await asyncio.to_thread(build_index, settings)
        return before, await client.call_tool("list_sections", {})

    before, after = talk(home, tiny_encoder, work)
    assert (before.structured_content["entries"], after.structured_content["entries"]) == (6, 7)


def test_standard_output_carries_protocol_only(tmp_path: Path, tiny_encoder: Path) -> None:
    home = tmp_path / "home"
    fill_corpus(home, PAGE_LIST, {})  # no index: it is built within the first call, and says so on standard error
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    call = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "ask", "arguments": {"question": QUESTION}},
    }
    lines = [hello, {"jsonrpc": "2.0", "method": "notifications/initialized"}, call]
    process = subprocess.Popen(
        [sys.executable, *command(home, tiny_encoder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("".join(json.dumps(line) + "\n" for line in lines))
    process.stdin.flush()
    said = []
    for line in process.stdout:
        said.append(json.loads(line))  # anything else than protocol fails here
        if said[-1].get("id") == 2:
            break
    rest, errors = process.communicate()
    assert rest == ""
    assert said[-1]["result"]["structuredContent"]["citations"]
    assert "building one" in errors
