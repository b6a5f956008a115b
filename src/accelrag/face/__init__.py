"""The public face: ``accelrag.open`` and the ``Home`` that it gives. Names here are kept stable."""

from __future__ import annotations

from accelrag.face.home import Home, open_home

__all__ = ["Home", "open_home"]
