"""A home that follows a list in a file and fetches READMEs from a server on loopback; what it encodes is counted.

What is encoded is read from the vector cache, which gets one row for each text that went through the encoder.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from accelrag.embedding.cache import text_key
from accelrag.index import Store, current_generation
from accelrag.index.chunking import embedding_text
from accelrag.pipeline import UpdateReport, build_index, update_home
from accelrag.settings import Settings
from accelrag.transport import Transport
from fake_servers import Repository, Web

__all__ = ["Followed", "Item", "list_text", "readme", "snapshot"]


@dataclass(frozen=True)
class Item:
    """An entry of the list: ``name`` is its repository under ``o/``."""

    name: str
    note: str
    section: str = "Tools"
    title: str = ""

    @property
    def line(self) -> str:
        return f"- [{self.title or self.name.title()}](https://github.com/o/{self.name}) - {self.note}"


def list_text(items: Iterable[Item], title: str = "Followed") -> str:
    """The list in Markdown, sections in order of first use."""
    sections: dict[str, list[str]] = {}
    for item in items:
        sections.setdefault(item.section, []).append(item.line)
    parts = [f"# {title}"] + [f"## {name}\n\n" + "\n".join(lines) for name, lines in sections.items()]
    return "\n\n".join(parts) + "\n"


def readme(name: str, said: str = "does what its name says") -> str:
    return f"# {name}\n\n{name} {said}.\n\n## Use\n\nRun {name} on a trace and read the table that it writes.\n"


class Followed:
    """``write`` edits the source of the list, ``update`` runs the product on it in this process."""

    def __init__(self, folder: Path, web: Web, encoder: Path, items: Iterable[Item] = (), **settings: Any) -> None:
        self.home, self.source, self.web, self.encoder = folder / "home", folder / "chips.md", web, encoder
        self.settings = Settings(home=self.home, model=str(encoder), threads=1, **web.settings, **settings)
        self.items: list[Item] = []
        self.write(items)

    def write(self, items: Iterable[Item]) -> None:
        self.items = list(items)
        self.source.write_text(list_text(self.items), encoding="utf-8")
        for item in self.items:
            name = f"o/{item.name}"
            self.web.repositories.setdefault(name, Repository({"README.md": readme(item.name)}))

    def transport(self) -> Transport:
        return Transport(self.settings, spacing=0.0, sleep=lambda _: None)

    def update(self, **how: Any) -> UpdateReport:
        how.setdefault("transport", self.transport())
        settings = replace(self.settings, list=how.pop("list", ""))
        return update_home(settings, **how)

    def follow(self, **how: Any) -> UpdateReport:
        """The first update: the home follows the list from then on."""
        return self.update(list=str(self.source), **how)

    def index(self, **how: Any) -> Any:
        return build_index(self.settings, **how)

    def encoded(self) -> set[bytes]:
        """Keys of every text that was ever encoded."""
        found: set[bytes] = set()
        for path in (self.settings.index_dir / "cache").glob("vectors-*.db"):
            with closing(sqlite3.connect(path)) as db:
                found |= {key for (key,) in db.execute("SELECT key FROM vectors")}
        return found

    def passages(self) -> list[tuple[str, str, str]]:
        """``(entry id, document id, what the encoder saw)`` of every passage that answers now."""
        with closing(Store(current_generation(self.settings.index_dir) / "passages.db")) as store:
            return [
                (entry.id, p.document_id, embedding_text(p))
                for entry, _ in store.entries()
                for p in store.passages_of(entry.id)
            ]

    def keys_of(self, name: str, side: str) -> set[bytes]:
        """Keys of the texts of one entry's note (``note:``) or document (``text:``)."""
        entry = next(e.id for e in self.entries() if e.url.endswith(f"/o/{name}"))
        return {text_key(text) for i, document, text in self.passages() if i == entry and document.startswith(side)}

    def entries(self) -> list[Any]:
        with closing(Store(current_generation(self.settings.index_dir) / "passages.db")) as store:
            return [entry for entry, _ in store.entries()]


def snapshot(home: Path) -> dict[str, tuple[int, int]]:
    """``path -> (size, modification time)`` of every file below a home but the locks."""
    files = (p for p in home.rglob("*") if p.is_file() and not p.name.startswith(".lock"))
    return {str(p.relative_to(home)): (p.stat().st_size, p.stat().st_mtime_ns) for p in files}
