"""The command line. ``main`` is the entry point; commands are loaded when they are named."""

from accelrag.cli.main import main

__all__ = ["main"]
