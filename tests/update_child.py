"""A process that updates or indexes a home once, for tests that kill it: ``python update_child.py WHAT HOME MODEL``.

Settings come from the environment. It says ``ready`` before it touches the home, and its pauses are short.
"""

import sys

from accelrag.pipeline import build_index, update_home
from accelrag.pipeline.list_check import check_lists
from accelrag.settings import Settings
from accelrag.transport import Transport


def main(what: str, home: str, model: str) -> None:
    import faiss
    import onnxruntime
    import tantivy

    loaded = faiss, onnxruntime, tantivy, check_lists  # what is loaded before "ready" cannot be killed in
    assert all(loaded)
    settings = Settings.load({"home": home, "model": model, "threads": 1})
    print("ready", flush=True)
    if what == "index":
        build_index(settings)
    else:
        update_home(settings, transport=Transport(settings, spacing=0.0, sleep=lambda _: None))
    print("done", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
