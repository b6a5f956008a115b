"""The bundle on disk: generations with a manifest, published by one rename, refused when they are not whole.

``build`` makes a generation from entries and documents, ``bundle`` opens and publishes them, ``manifest`` says what
a generation was made of, ``store`` holds entries, documents and passages.
"""

from accelrag.index.build import BuildReport, build, prepare_encoder
from accelrag.index.bundle import Index, current_generation, generations, sweep
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
    "prepare_encoder",
    "sweep",
]
