"""Sentences -> the text of an answer, with ``[n]`` behind each sentence."""

from __future__ import annotations

from collections.abc import Sequence

from accelrag.types import Sentence

__all__ = ["answer_text", "sentence_text"]


def sentence_text(sentence: Sentence) -> str:
    """One sentence with its markers, without what leads it in."""
    markers = "".join(f"[{n}]" for n in sentence.citations)
    return f"{sentence.text} {markers}" if markers else sentence.text


def answer_text(sentences: Sequence[Sentence]) -> str:
    """The sentences with their leads, as one text."""
    parts = []
    for position, sentence in enumerate(sentences):
        lead = sentence.lead if position else sentence.lead.lstrip()
        parts.append((lead if lead or not position else " ") + sentence_text(sentence))
    return "".join(parts).strip()
