"""Options that several commands share, and the settings that they make."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import click

from accelrag.errors import UsageError
from accelrag.settings import Settings
from accelrag.types import Filters

__all__ = ["common", "filtering", "filters", "generating", "json_option", "questions", "settings_of"]

Command = Callable[..., Any]
_SHARED = ("home", "model", "list")


def common(command: Command) -> Command:
    """``--home``, ``--model`` and ``--list``."""
    for option in (
        click.option("--list", "list_", metavar="PATH|URL|NAME", help="The list to use instead of the home's."),
        click.option("--model", metavar="MODEL", help="Embedding model: a local folder or a hub name."),
        click.option("--home", metavar="DIR", help="Folder that holds corpus/ and index/."),
    ):
        command = option(command)
    return command


def json_option(command: Command) -> Command:
    """``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="JSON on stdout, errors included.")(command)


def filtering(command: Command) -> Command:
    """``--section``, ``--kind`` and ``-k``."""
    for option in (
        click.option("-k", "--top-k", type=click.IntRange(1, 1000), metavar="N", help="Entries that are looked at."),
        click.option(
            "--kind", "kinds", multiple=True, metavar="K", help="Only entries of this kind; may be repeated."
        ),
        click.option("--section", "sections", multiple=True, metavar="S", help="Only this section; may be repeated."),
    ):
        command = option(command)
    return command


def generating(command: Command) -> Command:
    """``--llm``, ``--no-llm``, ``--rerank`` and ``--verifier``."""
    for option in (
        click.option("--verifier", metavar="MODEL", help="NLI cross-encoder that judges each sentence."),
        click.option("--rerank", metavar="MODEL", help="Cross-encoder that reorders what was found."),
        click.option("--no-llm", is_flag=True, help="Quote the sources, whatever the settings name."),
        click.option("--llm", metavar="SPEC", help="Language model: openai:MODEL, ollama:MODEL or hf:MODEL."),
    ):
        command = option(command)
    return command


def settings_of(**flags: Any) -> Settings:
    """Settings from flags, environment and file. Flags that were not given are None."""
    flags = {("list" if k == "list_" else k): v for k, v in flags.items()}
    return Settings.load(flags)


def filters(sections: tuple[str, ...], kinds: tuple[str, ...]) -> Filters:
    """What the search is restricted to."""
    return Filters(sections=sections, kinds=tuple(kind.lower() for kind in kinds))


def questions(text: str) -> Iterator[str]:
    """The question itself, or for ``-`` each line of standard input that is not blank.

    Raises:
        UsageError: standard input is not UTF-8.
    """
    if text != "-":
        yield text
        return
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(encoding="utf-8")
    try:
        for line in sys.stdin:
            if line.strip():
                yield line.strip()
    except UnicodeDecodeError as error:
        raise UsageError("standard input is not UTF-8", hint="convert it: iconv -t UTF-8") from error
