"""nDCG@10 on a BEIR data set (corpus.jsonl, queries.jsonl, qrels/test.tsv) for each way of fusing.

    python evals/beir.py FOLDER [WORK_DIR]

Each document is an entry whose note is its title and whose text is the document. The index is kept in WORK_DIR.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from accelrag.evaluation import ndcg
from accelrag.index import Index, build
from accelrag.retriever import Fusion, Retriever
from accelrag.types import Document, Entry, Place


class Counter:
    def start(self, task: str, total: int | None) -> None:
        self.total, self.done_count = total, 0

    def advance(self, task: str, count: int = 1) -> None:
        self.done_count += count
        if self.done_count % 500 < count:
            print(f"{task}: {self.done_count} of {self.total}", file=sys.stderr, flush=True)

    def done(self, task: str) -> None:
        print(f"{task}: done", file=sys.stderr)


def main() -> None:
    folder = Path(sys.argv[1])
    work = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(tempfile.mkdtemp())
    entries, documents = [], {}
    for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        name = row["_id"]
        place = Place(title=row.get("title") or name, sections=(), note="")
        entries.append(Entry(name, f"urn:beir:{name}", f"urn:beir:{name}", "paper", (place,)))
        documents[name] = Document(f"text:{name}", name, row["text"], "abstract", row.get("title", ""))
    report = build(work, entries, documents.get, progress=Counter())
    print(f"{report.entries} documents, {report.passages} passages, {report.encoded} encoded")
    relevant: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, gain = line.split("\t")
        if int(gain) > 0:
            relevant.setdefault(query, {})[document] = int(gain)
    queries = {}
    for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        queries[row["_id"]] = row["text"]
    index = Index.open(work)
    fusions = [Fusion(method=m) for m in ("lexical", "dense", "rrf", "sum")]
    fusions += [Fusion(text_share=share) for share in (0.5, 0.7, 1.0)]
    for fusion in fusions:
        retriever = Retriever(index, fusion=fusion)
        scores = []
        for query, wanted in relevant.items():
            found = retriever.search(queries[query], 10).results
            scores.append(ndcg([r.entry.id in wanted for r in found], len(wanted)))
        mean = sum(scores) / len(scores)
        print(
            f"{fusion.method} text share {fusion.text_share}: nDCG@10 {mean:.3f} over {len(scores)} queries",
            flush=True,
        )


main()
