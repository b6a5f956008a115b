"""Generators: what turns a question and its sources into a draft."""

__all__: list[str] = []
