"""Asks the page without a browser, over Gradio's queue: join, then read the events of one session."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

import httpx

_SESSIONS = itertools.count(1)


class PageClient:
    """One visitor. ``ask`` returns the HTML of the turn when it is done."""

    def __init__(self, url: str, http: httpx.AsyncClient, name: str = "") -> None:
        self._url = url.rstrip("/")
        self._http = http
        self._session = f"{name or 'visitor'}{next(_SESSIONS)}"
        self._config: dict[str, Any] = {}

    async def open(self) -> PageClient:
        """Read the page's description."""
        response = await self._http.get(f"{self._url}/config")
        response.raise_for_status()
        self._config = response.json()
        return self

    def _started_by(self, element: str, event: str) -> dict[str, Any]:
        by_id = {c["id"]: c["props"].get("elem_id") for c in self._config["components"]}
        for dependency in self._config["dependencies"]:
            if [element, event] in [[by_id.get(target), name] for target, name in dependency["targets"]]:
                return dependency
        raise AssertionError(f"the page has no {element}")

    async def stop(self) -> None:
        """Press Stop."""
        event = self._started_by("stop", "click")
        body = {"data": [], "fn_index": event["id"], "session_hash": self._session, "event_data": None}
        joined = await self._http.post(f"{self._url}/gradio_api/queue/join", json=body)
        joined.raise_for_status()

    async def ask(self, question: str, *, generator: str = "none") -> str:
        event = self._started_by("question", "submit")
        body = {
            "data": [question, [], [], generator, "", None],
            "fn_index": event["id"],
            "session_hash": self._session,
            "trigger_id": event["targets"][0][0],
            "event_data": None,
        }
        joined = await self._http.post(f"{self._url}/gradio_api/queue/join", json=body)
        joined.raise_for_status()
        turn = ""
        address = f"{self._url}/gradio_api/queue/data?session_hash={self._session}"
        async with self._http.stream("GET", address) as events:
            async for line in events.aiter_lines():
                if not line.startswith("data:"):
                    continue
                message = json.loads(line[5:])
                if message.get("event_id") != joined.json()["event_id"]:
                    continue  # a stop of the same visitor
                data = (message.get("output") or {}).get("data") or []
                if message["msg"] == "process_generating":
                    turn = _patched(turn, data[2]) if len(data) > 2 else turn
                elif message["msg"] == "process_completed":
                    assert message["success"], message
                    if len(data) > 2 and isinstance(data[2], str) and data[2]:
                        turn = data[2]
                    return turn
        raise AssertionError("the page closed the stream")


def state_of(turn: str) -> str:
    """How a turn stands: answered, refused, failed, stopped."""
    found = re.search(r'data-state="(\w+)"', turn)
    return found[1] if found else ""


def _patched(turn: str, change: Any) -> str:
    # After the first output Gradio sends differences: [action, path, value] for the whole string.
    if isinstance(change, str):
        return change
    for action, path, value in change if isinstance(change, list) else []:
        if path == [] and action == "replace":
            turn = value
        elif path == [] and action == "append":
            turn += value
    return turn
