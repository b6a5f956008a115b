"""Exported encoders in the cache of an index: made once for each model, checked before they are used again."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from accelrag.embedding import DEFAULT_MODEL, ModelSource, find_model
from accelrag.embedding.models import DEFAULT_SOURCE, file_sha256
from accelrag.errors import ModelError
from accelrag.storage import writable

__all__ = ["prepare_encoder"]


def prepare_encoder(
    cache_dir: Path, model: str, *, threads: int = 0, notice: Callable[[str], None] = lambda _: None
) -> Path:
    """The folder of the exported encoder, exporting it where this model was never seen before.

    ``model`` may also be the folder of an encoder that was exported already: a generation's ``encoder/``.

    Raises:
        ModelError: the model cannot be found, trusted or loaded.
    """
    given = Path(os.path.expanduser(model))  # Path.expanduser raises for a user that does not exist
    if model and (given / "encoder.json").is_file():
        return _take_exported(cache_dir, given)
    try:
        source = find_model(model)
    except ModelError:
        known = _cached(cache_dir, DEFAULT_SOURCE)
        # A smaller installation has no weights: a home that was built elsewhere brings the exported encoder.
        if model in {"", DEFAULT_MODEL} and _whole_encoder(known):
            return known
        raise
    folder = _cached(cache_dir, source)
    if _whole_encoder(folder):
        return folder
    from accelrag.embedding.export import export_model

    aside = folder.with_name(f".{folder.name}-{os.getpid()}")
    shutil.rmtree(aside, ignore_errors=True)
    try:
        with writable(aside):
            export_model(source, aside, notice)
            shutil.rmtree(folder, ignore_errors=True)
            aside.rename(folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return folder


def _cached(cache_dir: Path, source: ModelSource) -> Path:
    identity = f"{source.name}\n{source.weights_sha256 or source.location}"
    slug = re.sub(r"[^A-Za-z0-9.-]+", "-", source.name)[:40]
    return cache_dir / f"encoder-{slug}-{hashlib.sha256(identity.encode()).hexdigest()[:12]}"


def _take_exported(cache_dir: Path, given: Path) -> Path:
    """Copy an encoder that was exported elsewhere, as for a machine that cannot load torch."""
    if not _whole_encoder(given):
        raise ModelError(f"the exported encoder in {given} is damaged", hint="copy the folder again, whole")
    config = json.loads((given / "encoder.json").read_text(encoding="utf-8"))
    folder = cache_dir / f"encoder-given-{config['fingerprint'][:12]}"
    if not _whole_encoder(folder):
        aside = folder.with_name(f".{folder.name}-{os.getpid()}")
        shutil.rmtree(aside, ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)
        with writable(aside):
            folder.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(given, aside)
            aside.rename(folder)
    return folder


def _whole_encoder(folder: Path) -> bool:
    # Generations share these files by hard links, so damage to one of them is damage here.
    try:
        marks = json.loads((folder / "encoder.json").read_text(encoding="utf-8"))["files"]
        return all(file_sha256(folder / name) == digest for name, digest in marks.items())
    except (OSError, ValueError, KeyError, AttributeError):
        return False
