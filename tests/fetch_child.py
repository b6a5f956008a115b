"""A process that fetches a list into a home, for tests that kill it: ``python fetch_child.py HOME LIST``.

Settings come from the environment. Its pauses are short, as the servers are our own.
"""

import sys
import time
from pathlib import Path

from accelrag import ingest
from accelrag.corpus import Corpus
from accelrag.listing import parse
from accelrag.settings import Settings
from accelrag.transport import Transport


def main(home: str, listing: str) -> None:
    settings = Settings.load({"home": home})
    entries = parse(Path(listing).read_text(encoding="utf-8"), name="list").entries
    print("ready", flush=True)
    with (
        Transport(settings, sleep=lambda s: time.sleep(min(s, 0.002)), spacing=0.0) as transport,
        Corpus.open(settings.corpus_dir) as corpus,
    ):
        summary = ingest.fetch(entries, corpus, settings, transport=transport)
    print(summary.total, summary.accounted, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
