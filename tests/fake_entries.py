"""Entries made from addresses, by the list parser itself."""

from accelrag.listing import parse
from accelrag.types import Entry


def entries(*urls: str, title: str = "Entry") -> list[Entry]:
    lines = [f"- [{title} {n}]({url}) - What it is." for n, url in enumerate(urls)]
    return list(parse("# List\n\n## Section\n\n" + "\n".join(lines), name="list").entries)
