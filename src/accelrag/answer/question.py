"""What a person typed, as it can be searched."""

from __future__ import annotations

from accelrag.errors import UsageError

__all__ = ["MAX_QUESTION", "clean_question"]

MAX_QUESTION = 20_000


def clean_question(question: str) -> str:
    """The question on one line without control characters.

    Raises:
        UsageError: nothing is left, or it is longer than ``MAX_QUESTION`` characters.
    """
    if len(question) > MAX_QUESTION:
        raise UsageError(
            f"the question has {len(question):,} characters, {MAX_QUESTION:,} are read",
            hint="ask one thing at a time; long text goes into the corpus: accelrag import",
        )
    text = "".join(c if c.isprintable() else " " for c in question)
    text = " ".join(text.split())
    if not text:
        raise UsageError("the question is empty", hint='ask something: accelrag ask "What is PagedAttention?"')
    if not any(c.isalnum() for c in text):
        raise UsageError("the question holds no word", hint='ask in words: accelrag ask "What is PagedAttention?"')
    return text
