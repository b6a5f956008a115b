"""The bundle on disk: generations with a manifest, published by one rename, refused when they are not whole.

``build`` makes a generation from entries and documents, ``bundle`` opens and publishes them, ``manifest`` says what
a generation was made of, ``store`` holds entries, documents and passages.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from accelrag.index.building import BuildReport, build
    from accelrag.index.bundle import Index, current_generation, generations, orphans, sweep, writing
    from accelrag.index.exported import prepare_encoder
    from accelrag.index.manifest import SCHEMA, Manifest
    from accelrag.index.store import Store

__all__ = [
    "SCHEMA",
    "BuildReport",
    "Index",
    "Manifest",
    "Store",
    "build",
    "current_generation",
    "generations",
    "orphans",
    "prepare_encoder",
    "sweep",
    "writing",
]

# Loaded when they are asked for (PEP 562): a question needs a tenth of this package.
_HOMES = {
    "BuildReport": "accelrag.index.building",
    "build": "accelrag.index.building",
    "prepare_encoder": "accelrag.index.exported",
    "Index": "accelrag.index.bundle",
    "current_generation": "accelrag.index.bundle",
    "generations": "accelrag.index.bundle",
    "orphans": "accelrag.index.bundle",
    "sweep": "accelrag.index.bundle",
    "writing": "accelrag.index.bundle",
    "Manifest": "accelrag.index.manifest",
    "SCHEMA": "accelrag.index.manifest",
    "Store": "accelrag.index.store",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
