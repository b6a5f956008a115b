"""BM25 over passages by tantivy, with exact identifiers, split compounds, CJK n-grams and typing mistakes.

A query is built from terms, never parsed: nothing that a person types is an operator. Fields and boosts are in
``stores.fields``. https://docs.rs/tantivy/latest/tantivy/ describes the scoring (BM25 with k1=1.2, b=0.75).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from accelrag.errors import IndexDamaged
from accelrag.stores.fields import FIELDS, LISTED, STEMMED, Stemmer, analyzer, sections_of, terms_of
from accelrag.stores.protocol import Evidence, LexicalQuery, Ranking, evidence_of
from accelrag.types import Entry, Passage

__all__ = ["LexicalIndex", "LexicalWriter"]

_COUNTED = tuple(name for name in STEMMED if name != "url")
_HEAP = 64_000_000


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
        self._stemmer = Stemmer()

    @property
    def count(self) -> int:
        with self._translated():
            return int(self._searcher.num_docs)

    def stem(self, word: str) -> str:
        return self._stemmer(word)

    def known(self, stem: str) -> int:
        with self._translated():
            return max(int(self._searcher.doc_freq(name, stem)) for name in _COUNTED)

    def known_identifier(self, identifier: str) -> int:
        with self._translated():
            return int(self._searcher.doc_freq("exact", identifier))

    def search(self, query: LexicalQuery, limit: int, *, of: Evidence | None = None) -> Ranking:
        if query.empty or limit < 1:
            return []
        with self._translated():
            found = self._searcher.search(self._query(query, of), limit, count=False).hits
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

    def close(self) -> None:
        return  # files are let go with the last search that uses them

    def _query(self, query: LexicalQuery, of: Evidence | None) -> Any:
        q, occur = self._tantivy.Query, self._tantivy.Occur
        should = []
        for stem, weight in query.stems.items():
            fields = [
                q.boost_query(q.term_query(self._schema, name, stem, "freq"), FIELDS[name] * weight)
                for name in STEMMED
            ]
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
        evidence = (of,) if of else ()
        filters = (("kind", query.kinds), ("path", query.sections), ("entry", query.entries), ("evidence", evidence))
        for name, allowed in filters:
            if allowed:
                one_of = [(occur.Should, q.term_query(self._schema, name, value, "basic")) for value in allowed]
                must.append((occur.Must, q.const_score_query(q.boolean_query(one_of), 0.0)))
        return q.boolean_query(must) if len(must) > 1 else any_of


class LexicalWriter:
    """Writes a new index, passage by passage. One thread and one commit: the same rows give the same ranking."""

    def __init__(self, folder: Path) -> None:
        import tantivy

        self._folder = folder
        folder.mkdir(parents=True)
        self._tantivy = tantivy
        index = tantivy.Index(_schema(), path=str(folder), reuse=False)
        _register(index)
        self._writer: Any = index.writer(_HEAP, num_threads=1)

    def add(self, passage: Passage, entry: Entry) -> None:
        """Add a passage of an entry."""
        document = self._tantivy.Document()
        document.add_unsigned("passage", passage.id)
        document.add_text("entry", entry.id)
        document.add_text("kind", entry.kind)
        document.add_text("evidence", evidence_of(passage))
        document.add_text("path", "\x1f".join(sections_of(entry)))
        for name, terms in terms_of(passage, entry).items():
            document.add_text(name, ("\x1f" if name in LISTED else " ").join(terms))
        self._writer.add_document(document)

    def close(self) -> None:
        """Commit what was added."""
        self._writer.commit()
        self._writer.wait_merging_threads()

    def abandon(self) -> None:
        """Stop the threads that write, so that the folder can be removed."""
        with suppress(Exception):  # tantivy's own word on a full disk was said by ``add`` or ``close``
            self._writer.rollback()
            self._writer.wait_merging_threads()


@contextmanager
def _lockable(folder: Path) -> Iterator[Path]:
    """The folder, or where it cannot be written, a folder of links to its files: tantivy locks even to read.

    The files are mapped once the index is open, so the links are needed no longer than that.
    """
    if os.access(folder, os.W_OK) and all(os.access(p, os.W_OK) for p in folder.glob(".tantivy-*.lock")):
        yield folder
        return
    # A watcher of the index may hold the folder a moment longer; what is left then is links in the temporary folder.
    with tempfile.TemporaryDirectory(prefix="accelrag-", ignore_cleanup_errors=True) as aside:
        for path in folder.iterdir():
            if path.suffix != ".lock":
                (Path(aside) / path.name).symlink_to(path.absolute())
        yield Path(aside)


def _schema() -> Any:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("passage", fast=True)
    for name in STEMMED:
        builder.add_text_field(name, tokenizer_name="stemmed", index_option="freq")
    for name in (*LISTED, "path"):
        builder.add_text_field(name, tokenizer_name="listed", index_option="freq")
    for name in ("kind", "entry", "evidence"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    return builder.build()


def _register(index: Any) -> None:
    from tantivy import TextAnalyzerBuilder, Tokenizer

    index.register_tokenizer("stemmed", analyzer())
    index.register_tokenizer("listed", TextAnalyzerBuilder(Tokenizer.regex(r"[^\x1f]+")).build())


def _damaged(folder: Path, why: object) -> IndexDamaged:
    said = " ".join(str(why).split())[:200]
    return IndexDamaged(
        f"the lexical index in {folder} cannot be used: {said}", hint="rebuild it: accelrag index --rebuild"
    )
