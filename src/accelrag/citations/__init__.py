"""Claims and sources -> Citation | Rejection. Pure: the encoder and the documents are handed in.

``claims`` cuts a draft, ``verifier`` finds the evidence of each claim, ``numbering`` numbers what is shown.
"""

from accelrag.citations.claims import ClaimReader, read_claims
from accelrag.citations.evidence import Evidence, Piece, Source
from accelrag.citations.numbering import Numbering
from accelrag.citations.verifier import Calibration, Checked, Verifier

__all__ = [
    "Calibration",
    "Checked",
    "ClaimReader",
    "Evidence",
    "Numbering",
    "Piece",
    "Source",
    "Verifier",
    "read_claims",
]
