"""What can go wrong, split by what the caller should do.

AccelragError                 anything of ours; has a hint that names the next step
├── TransientError            the same call may go through later
│   ├── FetchTransient        a host was busy, slow or out of reach
│   ├── Busy                  another accelrag writes into this home
│   └── GeneratorUnavailable  a language model server did not answer as it should
└── PermanentError            the same call will fail again
    ├── UsageError            the question, flag or argument cannot be used
    ├── SettingsError         a setting is unknown or has a bad value
    ├── ListError             a list cannot be read or is none
    │   └── ListFormatError   a list in a markup that is not Markdown
    ├── IndexMissing          nothing was built yet
    ├── IndexDamaged          a bundle is incomplete or was changed
    ├── IndexMismatch         a bundle that another encoder or version made
    ├── ExtraMissing          a package that only some installations have
    ├── ModelError            an encoder cannot be found, loaded or trusted
    ├── StorageError          a file or folder cannot be read or written
    ├── FetchRefused          an address, size or type that we do not fetch
    ├── FetchFailed           the source said no for good
    ├── GeneratorRefused      a language model server refuses the request as it stands
    └── EntryUnknown          no entry has that id, URL or title
"""

from __future__ import annotations

__all__ = [
    "AccelragError",
    "Busy",
    "EntryUnknown",
    "ExtraMissing",
    "FetchFailed",
    "FetchRefused",
    "FetchTransient",
    "GeneratorRefused",
    "GeneratorUnavailable",
    "IndexDamaged",
    "IndexMismatch",
    "IndexMissing",
    "ListError",
    "ListFormatError",
    "ModelError",
    "PermanentError",
    "SettingsError",
    "StorageError",
    "TransientError",
    "UsageError",
]


class AccelragError(Exception):
    """Anything of ours. ``str(error)`` says what, ``error.hint`` says what to do."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    def to_dict(self) -> dict[str, dict[str, str]]:
        """What went wrong and what to do, as JSON."""
        return {"error": {"type": type(self).__name__, "message": str(self), "hint": self.hint}}


class TransientError(AccelragError):
    """The same call may go through later."""


class FetchTransient(TransientError):
    """A host was busy, slow or out of reach. ``retry_after`` is in seconds where the host named a time."""

    def __init__(
        self, message: str, *, reason: str = "unreachable", retry_after: float | None = None, hint: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.reason = reason
        self.retry_after = retry_after


class Busy(TransientError):
    """Another accelrag writes into this home."""


class GeneratorUnavailable(TransientError):
    """A language model server did not answer as it should."""


class PermanentError(AccelragError):
    """The same call will fail again."""


class UsageError(PermanentError):
    """The question, flag or argument cannot be used."""

    exit_code = 2


class SettingsError(PermanentError):
    """A setting is unknown or has a bad value."""

    exit_code = 2


class ListError(PermanentError):
    """A list cannot be read or is none."""


class ListFormatError(ListError):
    """A list in a markup that is not Markdown."""


class IndexMissing(PermanentError):
    """Nothing was built yet."""


class IndexDamaged(PermanentError):
    """A bundle is incomplete or was changed."""


class IndexMismatch(PermanentError):
    """A bundle that another encoder or version made."""


class ExtraMissing(PermanentError):
    """A package that only some installations have. The hint names the extra that brings it."""

    reason = "missing-extra"


class ModelError(PermanentError):
    """An encoder cannot be found, loaded or trusted."""


class StorageError(PermanentError):
    """A file or folder cannot be read or written."""


class FetchRefused(PermanentError):
    """An address, size or type that we do not fetch. ``reason`` is a word of the closed set of failures."""

    def __init__(self, message: str, *, reason: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.reason = reason


class FetchFailed(PermanentError):
    """The source said no for good. ``reason`` is a word of the closed set of failures."""

    def __init__(self, message: str, *, reason: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.reason = reason


class GeneratorRefused(PermanentError):
    """A language model server refuses the request as it stands."""


class EntryUnknown(PermanentError):
    """No entry has that id, URL or title."""
