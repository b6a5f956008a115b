"""The values that flow through accelrag. One noun means one thing everywhere.

    list -> Entry -> Document | Failure -> Passage -> Hit -> Claim -> Citation | Rejection -> Answer

Everything here is frozen, holds no behaviour beyond deriving one field from another and showing itself (``to_dict``
is its JSON), and imports nothing of ours. Offsets are counted in Unicode code points into ``Document.text``; ``end``
is exclusive.
"""

from __future__ import annotations

from accelrag.types.answers import Answer, Citation, Claim, Rejection, Sentence, Turn, Verdict
from accelrag.types.documents import Document, Failure, Passage
from accelrag.types.entries import KINDS, ROLES, Coverage, Entry, EntryLink, Kind, Place, Role, Skipped
from accelrag.types.links import Observation, State
from accelrag.types.progress import Progress, Silent
from accelrag.types.results import Filters, Hit, Result

__all__ = [
    "KINDS",
    "ROLES",
    "Answer",
    "Citation",
    "Claim",
    "Coverage",
    "Document",
    "Entry",
    "EntryLink",
    "Failure",
    "Filters",
    "Hit",
    "Kind",
    "Observation",
    "Passage",
    "Place",
    "Progress",
    "Rejection",
    "Result",
    "Role",
    "Sentence",
    "Silent",
    "Skipped",
    "State",
    "Turn",
    "Verdict",
]
