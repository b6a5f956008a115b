"""Semantic search and checkable answers over a curated list of resources."""

__all__ = ["__version__"]

__version__ = "0.1.0"
