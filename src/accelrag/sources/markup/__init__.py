"""README formats -> Markdown for reading."""

from accelrag.sources.markup.detect import readable

__all__ = ["readable"]
