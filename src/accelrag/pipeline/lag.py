"""What an index lags behind its lists, told by their hashes."""

from __future__ import annotations

from accelrag.embedding.models import file_sha256
from accelrag.errors import AccelragError
from accelrag.index.manifest import Manifest
from accelrag.pipeline.home import home_lists
from accelrag.settings import Settings

__all__ = ["lag"]


def lag(settings: Settings, manifest: Manifest) -> list[str]:
    """The lists whose text is not the one that the index was built from; nothing where they cannot be read."""
    known = {item["sha256"] for item in manifest.lists}
    try:
        files = [item.path for item in home_lists(settings) if not item.url]
        return [f"{path.name} changed since the index was built" for path in files if file_sha256(path) not in known]
    except (OSError, AccelragError):
        return []
