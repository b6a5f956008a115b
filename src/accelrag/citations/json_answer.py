"""An answer that a model wrapped in JSON although nobody asked it to."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["json_parts", "may_be_json"]

_FENCED = re.compile(r"\s*```(?:json)?\s*", re.IGNORECASE)
_TEXT_KEYS = (
    "answer",
    "response",
    "text",
    "content",
    "sentence",
    "claim",
    "statement",
    "summary",
    "message",
    "output",
)
_LIST_KEYS = ("sentences", "claims", "statements", "answers", "points", "items", "results")
_CITED_KEYS = ("citations", "sources", "source", "citation", "references", "refs", "cited", "source_ids")
_STRING = re.compile(r'"(?:answer|response|text|content|sentence|summary)"\s*:\s*"((?:[^"\\]|\\.)*)', re.DOTALL)


def may_be_json(text: str, *, final: bool) -> bool | None:
    """Whether a draft that starts like this is JSON; None while that is open."""
    fenced = _FENCED.match(text)
    body = text[fenced.end() :] if fenced else text.lstrip()
    if fenced and not final and fenced.end() == len(text):
        return None
    if not body or (not fenced and len(body) < 3 and set(body) == {"`"}):
        return False if final else None
    if body[0] == "{":
        rest = body[1:].lstrip()
        return rest[0] in '"}' if rest else (False if final else None)
    if body[0] == "[":
        rest = body[1:].lstrip()
        return rest[0] in '"{' if rest else (False if final else None)
    return False


def json_parts(text: str) -> list[tuple[str, tuple[int, ...]]]:
    """The texts of a JSON answer with the source numbers given beside each; of broken JSON, what can be read."""
    fenced = _FENCED.match(text)
    body = (text[fenced.end() :] if fenced else text).strip()
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(body)
    except (ValueError, RecursionError):
        return [(_unescaped(found), ()) for found in _STRING.findall(body)]
    return _parts(value, (), 0)


def _parts(value: Any, cited: tuple[int, ...], depth: int) -> list[tuple[str, tuple[int, ...]]]:
    if isinstance(value, str):
        return [(value, cited)]
    if depth > 6:
        return []
    if isinstance(value, list):
        return [part for item in value for part in _parts(item, cited, depth + 1)]
    if isinstance(value, dict):
        lowered = {str(key).lower(): item for key, item in value.items()}
        own = next((numbers for key in _CITED_KEYS if (numbers := _numbers(lowered.get(key)))), cited)
        for key in (*_LIST_KEYS, *_TEXT_KEYS):
            if key in lowered:
                found = _parts(lowered[key], own, depth + 1)
                if found:
                    return found
    return []


def _numbers(value: Any) -> tuple[int, ...]:
    if isinstance(value, bool):
        return ()
    if isinstance(value, int):
        return (value,) if 0 <= value < 1000 else ()
    if isinstance(value, str):
        return tuple(int(n) for n in re.findall(r"(?<![\w.])\d{1,3}(?![\w.])", value))
    if isinstance(value, list):
        return tuple(dict.fromkeys(n for item in value for n in _numbers(item)))
    if isinstance(value, dict):
        return next(
            (n for key in ("n", "id", "number", "index", *_CITED_KEYS) if (n := _numbers(value.get(key)))), ()
        )
    return ()


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return text
