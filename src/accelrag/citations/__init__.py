"""Claims and sources -> Citation | Rejection. Pure: the encoder and the documents are handed in."""

from accelrag.citations.claims import ClaimReader, read_claims

__all__ = ["ClaimReader", "read_claims"]
