"""How well the verifier tells true sentences from changed ones.

    python evals/verifier.py [FILE.tsv ...] [--all] [--encoder=FOLDER]

Each row names an entry, a sentence about it and whether the entry's text says so. The texts are fetched ones and not
part of the repository: ACCELRAG_SHARED names a folder that holds ``web/abstracts.jsonl`` and ``web/readmes``.
``verifier-tuning.tsv`` set the calibration. The others judge it. ``verifier.tsv`` passed 48 of 50 true and 5 of 50
changed sentences at its first run, ``verifier-blind.tsv`` 28 and 9 of 30; both showed what to mend.
``verifier-fresh.tsv`` was written last and nothing was changed after it: 20 of 20, and 1 of 20.
"""

from __future__ import annotations

import csv
import json
import os
import sys
import tempfile
from pathlib import Path

from accelrag.citations import CheckedClaim, OfferedSource, Verifier
from accelrag.embedding import find_model, open_encoder
from accelrag.embedding.export import export_model
from accelrag.index.chunking import Sizes, chunk
from accelrag.listing import parse
from accelrag.types import Claim, Document, Entry, Place

HERE = Path(__file__).parent


def documents(shared: Path) -> dict[str, Document]:
    """``url -> Document`` of the fetched texts."""
    found = {}
    for line in (shared / "web" / "abstracts.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["abstract"]:
            url = f"https://arxiv.org/abs/{row['arxiv_id']}"
            found[url.lower()] = Document(url, url, row["abstract"], "abstract", row["title"])
    for path in (shared / "web" / "readmes").glob("*.md"):
        url = "https://github.com/" + path.stem.replace("__", "/")
        text = path.read_text(encoding="utf-8", errors="replace")
        found[url.lower()] = Document(url, url, text, "readme", markdown=True)
    return found


def entries() -> dict[str, Entry]:
    """``url -> Entry`` of the default list."""
    text = (HERE.parent / "corpus" / "awesome-ai-accelerators.md").read_text(encoding="utf-8")
    return {entry.url.lower(): entry for entry in parse(text).entries}


def judge(path: Path, shared: Path, encoder: object, *, show: bool) -> tuple[int, int, int, int]:
    """``(true that pass, true, false that pass, false)``."""
    texts, known = documents(shared), entries()
    encode = encoder.encode_passages  # type: ignore[attr-defined]
    counts = {"true": [0, 0], "false": [0, 0]}
    for row in csv.DictReader(path.open(encoding="utf-8"), delimiter="\t", quoting=csv.QUOTE_NONE):
        document = texts[row["url"].lower()]
        unlisted = Entry(document.id, document.id, document.id, "paper", (Place(document.title, (), ""),))
        entry = known.get(row["url"].lower(), unlisted)
        passages = tuple(chunk(document, encoder.token_spans, Sizes(encoder.max_tokens)))  # type: ignore[attr-defined]
        source = OfferedSource(1, entry, document.coverage, passages)
        result = Verifier(encode, {document.id: document.text}.__getitem__).verify(
            Claim(row["sentence"], (1,)), [source]
        )
        passed = isinstance(result, CheckedClaim)
        counts[row["label"]][0] += passed
        counts[row["label"]][1] += 1
        if show or passed != (row["label"] == "true"):
            why = f"{result.support:.2f} {result.evidence[0].piece.text[:90]!r}" if passed else result.reason
            print(f"{'pass' if passed else 'drop'} {row['label']:5} {row['kind']:11} {row['sentence']}\n       {why}")
    return (*counts["true"], *counts["false"])  # type: ignore[return-value]


def main() -> None:
    shared = Path(os.environ["ACCELRAG_SHARED"])
    judged = ["verifier.tsv", "verifier-blind.tsv", "verifier-fresh.tsv"]
    names = [a for a in sys.argv[1:] if not a.startswith("-")] or judged
    with tempfile.TemporaryDirectory() as temporary:
        folder = next((Path(a.split("=", 1)[1]) for a in sys.argv if a.startswith("--encoder=")), Path(temporary))
        if not (folder / "encoder.json").exists():
            export_model(find_model(), folder)
        encoder = open_encoder(folder)
        for name in names:
            kept, true, passed, false = judge(HERE / name, shared, encoder, show="--all" in sys.argv)
            precision = kept / max(1, kept + passed)
            print(f"{name}: {kept} of {true} true sentences pass, {passed} of {false} changed ones do")
            print(f"precision {precision:.3f}, recall {kept / true:.3f}")


if __name__ == "__main__":
    main()
