"""BM25 over passages by tantivy, with exact identifiers, split compounds, CJK n-grams and typing mistakes.

A query is built from terms, never parsed: nothing that a person types is an operator. Fields and boosts stand in
``FIELDS``. https://docs.rs/tantivy/latest/tantivy/ describes the scoring (BM25 with k1=1.2, b=0.75).
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from accelrag.errors import IndexDamaged
from accelrag.text.words import cjk_grams, identifiers, parts, words
from accelrag.types import Entry, Passage

__all__ = ["FIELDS", "LexicalIndex", "LexicalQuery"]

FIELDS: Mapping[str, float] = {
    "title": 1.6,
    "note": 1.2,
    "section": 0.5,
    "heading": 0.5,
    "text": 1.0,
    "url": 0.6,
    "parts": 0.7,
    "exact": 1.5,
    "grams": 1.0,
    "own": 1.0,  # the sections of a note passage, whole
}
_STEMMED = ("title", "note", "section", "heading", "text", "parts")
_STEMS = 50_000  # words whose stem is remembered
_HEAP = 64_000_000


@dataclass(frozen=True, slots=True)
class LexicalQuery:
    """The terms of a question: ``stems`` with weights, exact ``identifiers``, CJK ``grams``."""

    stems: Mapping[str, float]
    identifiers: tuple[str, ...] = ()
    grams: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    named: tuple[str, ...] = ()  # sections that the question names: their own passages are found by that alone

    @property
    def empty(self) -> bool:
        """Whether there is nothing to look for."""
        return not (self.stems or self.identifiers or self.grams)


class LexicalIndex:
    """An opened index. Passage ids are the ids of ``Passage``."""

    def __init__(self, folder: Path) -> None:
        """Open the index in ``folder``.

        Raises:
            IndexDamaged: it is not there or not whole.
        """
        import tantivy

        self._folder = folder
        self._tantivy = tantivy
        if not folder.is_dir():
            raise _damaged(folder, "it is missing")
        with self._translated(), _lockable(folder) as place:
            index = tantivy.Index.open(str(place))
            _register(index)
            self._index = index
            self._schema = index.schema
            self._searcher = index.searcher()
        self._analyzer = _analyzer()
        self._stems: dict[str, str] = {}

    @classmethod
    def build(cls, folder: Path, rows: Iterable[tuple[Passage, Entry]]) -> None:
        """Write an index of passages. One thread and one commit: the same rows give the same ranking."""
        import tantivy

        folder.mkdir(parents=True)
        try:
            index = tantivy.Index(_schema(), path=str(folder), reuse=False)
            _register(index)
            writer = index.writer(_HEAP, num_threads=1)
            for passage, entry in rows:
                writer.add_document(_document(tantivy, passage, entry))
            writer.commit()
            writer.wait_merging_threads()
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    @property
    def count(self) -> int:
        """Passages in the index."""
        with self._translated():
            return int(self._searcher.num_docs)

    def stem(self, word: str) -> str:
        """The stem under which a lower-case word is indexed; empty when nothing is left of it."""
        known = self._stems.get(word)
        if known is None:
            if len(self._stems) >= _STEMS:
                self._stems.clear()
            tokens = self._analyzer.analyze(word)
            known = self._stems[word] = str(tokens[0]) if tokens else ""
        return known

    def known(self, stem: str) -> int:
        """In how many passages a stem occurs, counted in its most frequent field."""
        with self._translated():
            return max(int(self._searcher.doc_freq(name, stem)) for name in _STEMMED)

    def known_identifier(self, identifier: str) -> int:
        """In how many passages an identifier occurs as it is."""
        with self._translated():
            return int(self._searcher.doc_freq("exact", identifier))

    def search(self, query: LexicalQuery, limit: int) -> list[tuple[int, float]]:
        """``(passage id, BM25)`` of the best ``limit`` passages, best first, ties by id."""
        if query.empty or limit < 1:
            return []
        with self._translated():
            found = self._searcher.search(self._query(query), limit, count=False).hits
            ids = self._searcher.fast_field_values("passage", [address for _, address in found]) if found else []
            ranked = [(int(i), float(score)) for i, (score, _) in zip(ids, found, strict=True)]
        return sorted(ranked, key=lambda item: (-item[1], item[0]))

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (ValueError, TypeError, OSError) as error:
            raise _damaged(self._folder, error) from error
        except BaseException as error:
            if type(error).__name__ == "PanicException":  # tantivy's asserts; pyo3 derives them from BaseException
                raise _damaged(self._folder, error) from error
            raise

    def _query(self, query: LexicalQuery) -> Any:
        q, occur = self._tantivy.Query, self._tantivy.Occur
        should = []
        for stem, weight in query.stems.items():
            fields = [
                q.boost_query(q.term_query(self._schema, name, stem, "freq"), FIELDS[name] * weight)
                for name in _STEMMED
            ]
            fields.append(q.boost_query(q.term_query(self._schema, "url", stem, "freq"), FIELDS["url"] * weight))
            should += [(occur.Should, clause) for clause in fields]
        for name, terms in (("exact", query.identifiers), ("grams", query.grams)):
            for term in terms:
                clause = q.boost_query(q.term_query(self._schema, name, term, "freq"), FIELDS[name])
                should.append((occur.Should, clause))
        for name in query.named:
            clause = q.boost_query(q.term_query(self._schema, "own", name, "basic"), FIELDS["own"])
            should.append((occur.Should, clause))
        any_of = q.boolean_query(should)
        must = [(occur.Must, any_of)]
        for name, allowed in (("kind", query.kinds), ("path", query.sections), ("entry", query.entries)):
            if allowed:
                one_of = [(occur.Should, q.term_query(self._schema, name, value, "basic")) for value in allowed]
                must.append((occur.Must, q.const_score_query(q.boolean_query(one_of), 0.0)))
        return q.boolean_query(must) if len(must) > 1 else any_of


@contextmanager
def _lockable(folder: Path) -> Iterator[Path]:
    """The folder, or where it cannot be written, a folder of links to its files: tantivy locks even to read.

    The files are mapped once the index is open, so the links are needed no longer than that.
    """
    if os.access(folder, os.W_OK) and all(os.access(p, os.W_OK) for p in folder.glob(".tantivy-*.lock")):
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="accelrag-") as aside:
        for path in folder.iterdir():
            if path.suffix != ".lock":
                (Path(aside) / path.name).symlink_to(path.absolute())
        yield Path(aside)


def _schema() -> Any:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("passage", fast=True)
    for name in _STEMMED:
        builder.add_text_field(name, tokenizer_name="stemmed", index_option="freq")
    builder.add_text_field("url", tokenizer_name="stemmed", index_option="freq")
    for name in ("exact", "grams", "path", "own"):
        builder.add_text_field(name, tokenizer_name="listed", index_option="freq")
    for name in ("kind", "entry"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    return builder.build()


def _analyzer() -> Any:
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    builder = TextAnalyzerBuilder(Tokenizer.whitespace())
    return builder.filter(Filter.remove_long(60)).filter(Filter.stemmer("english")).build()


def _register(index: Any) -> None:
    from tantivy import TextAnalyzerBuilder, Tokenizer

    index.register_tokenizer("stemmed", _analyzer())
    index.register_tokenizer("listed", TextAnalyzerBuilder(Tokenizer.regex(r"[^\x1f]+")).build())


def _document(tantivy: Any, passage: Passage, entry: Entry) -> Any:
    document = tantivy.Document()
    document.add_unsigned("passage", passage.id)
    document.add_text("entry", entry.id)
    document.add_text("kind", entry.kind)
    paths = _listed({section.casefold() for path in entry.sections for section in path})
    document.add_text("path", paths)
    if passage.is_note and passage.start:  # what follows of a note that was too long for one passage
        document.add_text("note", _joined(passage.text))
        spoken = passage.text
        names = set(identifiers(spoken))
    elif passage.is_note:
        document.add_text("own", paths)
        titles, notes = " ".join(entry.titles), " ".join(entry.notes)
        labels = " ".join(p.label for p in entry.places)
        document.add_text("title", _joined(titles))
        document.add_text("note", _joined(f"{notes} {labels}"))
        document.add_text("section", _joined(" ".join(s for path in entry.sections for s in path)))
        document.add_text("url", _joined(re.sub(r"^\w+://(www\.)?|[/_.?=&#%-]+", " ", entry.url)))
        spoken = f"{titles} {notes} {labels}"
        names = {*identifiers(spoken), *identifiers(entry.key), *_url_identifiers(entry.key)}
    else:
        document.add_text("heading", _joined(" ".join(passage.heading)))
        document.add_text("text", _joined(passage.text))
        spoken = f"{' '.join(passage.heading)} {passage.text}"
        names = set(identifiers(spoken))
    document.add_text("parts", " ".join(parts(spoken)))
    document.add_text("exact", _listed(names))
    document.add_text("grams", _listed(cjk_grams(spoken)))
    return document


def _joined(text: str) -> str:
    return " ".join(words(text))


def _listed(terms: Iterable[str]) -> str:
    return "\x1f".join(sorted(terms))


def _url_identifiers(key: str) -> Sequence[str]:
    path = re.sub(r"^\w+://", "", key)
    tail = path.split("/")
    found = [path]
    if tail[0] == "github.com" and len(tail) >= 3:
        found.append("/".join(tail[1:3]).lower())
    if tail[0] == "arxiv.org" and len(tail) >= 3:
        found.append("/".join(tail[2:]).lower())
    if tail[0] == "doi.org" and len(tail) >= 3:
        found.append("/".join(tail[1:]).lower())
    return found


def _damaged(folder: Path, why: object) -> IndexDamaged:
    said = " ".join(str(why).split())[:200]
    return IndexDamaged(
        f"the lexical index in {folder} cannot be used: {said}", hint="rebuild it: accelrag index --rebuild"
    )
