"""Claims and sources -> Citation | Rejection. Pure: the encoder and the documents are handed in.

``claims`` cuts a draft, ``verifier`` finds the evidence of each claim, ``numbering`` numbers what is shown. What
reads and checks a draft loads at its first use, because an answer that quotes needs neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from accelrag.citations.evidence import CheckedClaim, Evidence, OfferedSource, Piece
from accelrag.citations.numbering import Numbering

if TYPE_CHECKING:
    from accelrag.citations.claims import ClaimReader, read_claims
    from accelrag.citations.verifier import Calibration, Verifier

__all__ = [
    "Calibration",
    "CheckedClaim",
    "ClaimReader",
    "Evidence",
    "Numbering",
    "OfferedSource",
    "Piece",
    "Verifier",
    "read_claims",
]


def __getattr__(name: str) -> Any:
    if name in ("ClaimReader", "read_claims"):
        from accelrag.citations import claims

        return getattr(claims, name)
    if name in ("Calibration", "Verifier"):
        from accelrag.citations import verifier

        return getattr(verifier, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
