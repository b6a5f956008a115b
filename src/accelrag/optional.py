"""Packages that a smaller installation may leave out, by the extra that brings them.

``pip install .`` brings all of them; ``docs/python.md`` says how to install less.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from types import MappingProxyType

from accelrag.errors import ExtraMissing

__all__ = ["EXTRAS", "require"]

EXTRAS = MappingProxyType(
    {
        "page": ("gradio", "jinja2", "argon2"),
        "mcp": ("mcp",),
        "pdf": ("pymupdf",),
        "encoders": ("torch", "sentence_transformers", "onnx", "onnxscript"),
    }
)


def require(extra: str, what: str, *, find: Callable[[str], object | None] = find_spec) -> None:
    """Check that the packages of an extra are installed, without importing them.

    Raises:
        ExtraMissing: one is not; the message names ``what`` needs it, the hint the command that installs it.
    """
    absent = [module for module in EXTRAS[extra] if find(module) is None]
    if absent:
        raise ExtraMissing(
            f"{what} needs {', '.join(absent)}, which this installation was made without",
            hint=f"pip install 'accelrag[{extra}]'",
        )
