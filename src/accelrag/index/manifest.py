"""What a generation was made of and what its files must be.

A file whose size and modification time are those in the manifest is taken as it is; a file whose time differs from
the others' was written to, so it is hashed, and refused when the hash differs. Where every file has a new time the
bundle was copied: then the size and blocks spread over each file are compared (all of a small one), which finds files
that were cut, mixed up or left with holes, and takes milliseconds. A bundle opens at once, original or copy; what
blocks cannot show, a flipped bit in a copy of a large file, is found by ``doctor``, which hashes everything.
(The same bargain as Git's index: https://git-scm.com/docs/racy-git.) The description itself ends with its own hash.

``SCHEMA`` is raised by whatever makes an older bundle unreadable or wrong: a table, a field, a meaning. A bundle of
an older schema is never changed in place: it is refused with the command that builds a new one, ``accelrag index``,
which reads the corpus and the vector cache, so that nothing is fetched and nothing is encoded again. A bundle of a
newer schema is refused with the advice to update accelrag. The corpus has a schema of its own, and so has the cache
by the fingerprint in its name.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from accelrag.embedding.models import file_sha256
from accelrag.errors import IndexDamaged, IndexMismatch

__all__ = ["MANIFEST", "SCHEMA", "FileMark", "Manifest"]

SCHEMA = 4  # 4: entries with the roles of their links, authors, year and venue
MANIFEST = "manifest.json"
_HINT = "rebuild it: accelrag index --rebuild"
_BLOCK, _BLOCKS = 8_192, 33
_SMALL = 1_000_000  # bytes up to which a file is read whole


@dataclass(frozen=True, slots=True)
class FileMark:
    """How a file was left: bytes, SHA-256, modification time in nanoseconds, hash of blocks spread over it."""

    size: int
    sha256: str
    mtime_ns: int
    blocks: str


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
    store: Mapping[str, Any] = field(default_factory=dict)  # where vectors and words are kept, and how
    files: Mapping[str, FileMark] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the encoder that made the vectors."""
        return str(self.encoder["fingerprint"])

    def write(self, folder: Path) -> None:
        """Write ``manifest.json`` and flush it to the disk."""
        path = folder / MANIFEST
        described = asdict(self)
        with path.open("w", encoding="utf-8") as stream:
            json.dump({**described, "digest": _own_digest(described)}, stream, ensure_ascii=False, indent=1)
            stream.flush()
            os.fsync(stream.fileno())

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read and check the description itself, not yet the files.

        Raises:
            IndexDamaged: it is missing or no manifest.
            IndexMismatch: another schema.
        """
        path = folder / MANIFEST
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            if not isinstance(raw, dict):
                raise ValueError("not an object")
            schema = raw["schema"]
        except (OSError, ValueError, KeyError, RecursionError) as error:
            raise IndexDamaged(f"{path} cannot be read: {error}", hint=_HINT) from error
        if schema != SCHEMA:
            if not isinstance(schema, int):
                raise IndexDamaged(f"{path} cannot be read: schema {str(schema)[:40]!r}", hint=_HINT)
            newer = schema > SCHEMA
            raise IndexMismatch(
                f"the index in {folder} has {'the newer' if newer else 'the older'} schema {schema}, "
                f"this accelrag reads {SCHEMA}",
                hint="update accelrag: pip install -U accelrag, or build an index for this one: accelrag index"
                if newer
                else "build it anew from the same texts and vectors: accelrag index",
            )
        if raw.pop("digest", "") != _own_digest(raw):
            raise IndexDamaged(f"the index is damaged: {path} is not as it was written", hint=_HINT)
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
        sizes: dict[str, os.stat_result] = {}
        for name in self.files:
            try:
                sizes[name] = (folder / name).stat()
            except OSError as error:
                raise IndexDamaged(f"the index lacks {name}: {error}", hint=_HINT) from error
        newer = {name for name, mark in self.files.items() if sizes[name].st_mtime_ns != mark.mtime_ns}
        copied = len(newer) == len(self.files)
        for name, mark in self.files.items():
            path = folder / name
            try:
                same = sizes[name].st_size == mark.size
                if same and (thorough or (name in newer and not copied)):
                    same = file_sha256(path) == mark.sha256
                elif same and copied:
                    same = _blocks(path, mark.size) == mark.blocks
            except OSError as error:
                raise IndexDamaged(f"the index lacks {name}: {error}", hint=_HINT) from error
            if not same:
                raise IndexDamaged(f"the index is damaged: {path} is not as it was written", hint=_HINT)


def _own_digest(described: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(described, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def mark_files(folder: Path) -> dict[str, FileMark]:
    """Flush and mark every file below ``folder`` but the manifest."""
    marks = {}
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.name != MANIFEST):
        with path.open("rb") as stream:
            os.fsync(stream.fileno())
        stat = path.stat()
        marks[path.relative_to(folder).as_posix()] = FileMark(
            stat.st_size, file_sha256(path), stat.st_mtime_ns, _blocks(path, stat.st_size)
        )
    return marks


def _blocks(path: Path, size: int) -> str:
    """A hash of the whole of a small file, of ``_BLOCKS`` blocks of a large one, its two ends among them."""
    digest = hashlib.sha256()
    with path.open("rb", buffering=0) as stream:
        if size <= _SMALL:
            digest.update(stream.read())
        else:
            for i in range(_BLOCKS):
                stream.seek((size - _BLOCK) * i // (_BLOCKS - 1))
                digest.update(stream.read(_BLOCK))
    return digest.hexdigest()
