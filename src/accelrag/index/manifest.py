"""What a generation was made of and what its files must be.

A file whose size and modification time are those in the manifest is taken as it is; any other is hashed, and refused
when the hash differs. So a flipped byte and a half copied file are found, and an untouched bundle opens at once.
(The same bargain as Git's index: https://git-scm.com/docs/racy-git.)
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from accelrag.embedding.models import file_sha256
from accelrag.errors import IndexDamaged, IndexStranger

__all__ = ["MANIFEST", "SCHEMA", "FileMark", "Manifest"]

SCHEMA = 1
MANIFEST = "manifest.json"
_HINT = "rebuild it: accelrag index --rebuild"


@dataclass(frozen=True, slots=True)
class FileMark:
    """How a file was left: bytes, SHA-256, modification time in nanoseconds."""

    size: int
    sha256: str
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """The description of a generation. ``source_digest`` names everything the generation was made from."""

    schema: int
    created: str
    version: str
    model: str
    encoder: Mapping[str, Any]
    chunker: Mapping[str, Any]
    lists: tuple[Mapping[str, Any], ...]
    counts: Mapping[str, int]
    coverage: Mapping[str, int]
    source_digest: str
    files: Mapping[str, FileMark] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the encoder that made the vectors."""
        return str(self.encoder["fingerprint"])

    def write(self, folder: Path) -> None:
        """Write ``manifest.json`` and flush it to the disk."""
        path = folder / MANIFEST
        with path.open("w", encoding="utf-8") as stream:
            json.dump(asdict(self), stream, ensure_ascii=False, indent=1)
            stream.flush()
            os.fsync(stream.fileno())

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read and check the description itself, not yet the files.

        Raises:
            IndexDamaged: it is missing or no manifest.
            IndexStranger: another schema.
        """
        path = folder / MANIFEST
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            if not isinstance(raw, dict):
                raise ValueError("not an object")
            schema = raw["schema"]
        except (OSError, ValueError, KeyError) as error:
            raise IndexDamaged(f"{path} cannot be read: {error}", hint=_HINT) from error
        if schema != SCHEMA:
            newer = isinstance(schema, int) and schema > SCHEMA
            raise IndexStranger(
                f"the index in {folder} has schema {schema}, this accelrag reads {SCHEMA}",
                hint="update accelrag: pip install -U accelrag" if newer else _HINT,
            )
        try:
            files = {name: FileMark(**mark) for name, mark in raw.pop("files").items()}
            return cls(**{**raw, "lists": tuple(raw["lists"])}, files=files)
        except (TypeError, KeyError, AttributeError) as error:
            raise IndexDamaged(f"{path} is not whole: {error}", hint=_HINT) from error

    def check(self, folder: Path, *, thorough: bool = False) -> None:
        """Compare every file with its mark.

        Raises:
            IndexDamaged: a file is missing, has another size, or another content.
        """
        for name, mark in self.files.items():
            path = folder / name
            try:
                stat = path.stat()
                same = stat.st_size == mark.size
                if same and (thorough or stat.st_mtime_ns != mark.mtime_ns):
                    same = file_sha256(path) == mark.sha256
            except OSError as error:
                raise IndexDamaged(f"the index lacks {name}: {error}", hint=_HINT) from error
            if not same:
                raise IndexDamaged(f"the index is damaged: {path} is not as it was written", hint=_HINT)


def mark_files(folder: Path) -> dict[str, FileMark]:
    """Flush and mark every file below ``folder`` but the manifest."""
    marks = {}
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.name != MANIFEST):
        with path.open("rb") as stream:
            os.fsync(stream.fileno())
        stat = path.stat()
        marks[path.relative_to(folder).as_posix()] = FileMark(stat.st_size, file_sha256(path), stat.st_mtime_ns)
    return marks
