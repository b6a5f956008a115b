"""Start the fake servers over a folder of texts and print the environment that points accelrag at them.

    python tests/serve_fixture_web.py FOLDER [--port-file FILE]
    eval "$(python tests/serve_fixture_web.py FOLDER --background)"

FOLDER holds ``abstracts.jsonl`` (arxiv_id, title, authors, abstract) and ``readmes/owner__name.md``.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from fake_servers import Paper, Repository, Web


def fill(web: Web, folder: Path) -> Web:
    """Put a folder's abstracts and READMEs behind the servers."""
    for line in (folder / "abstracts.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        said = record["authors"] or "Unnamed"
        names = tuple(a.strip() for a in re.split(";" if ";" in said else ",", said))
        web.papers[record["arxiv_id"]] = Paper(record["title"], record["abstract"], names)
    for path in sorted((folder / "readmes").glob("*__*.md")):
        owner, _, name = path.stem.partition("__")
        web.repositories[f"{owner}/{name}"] = Repository(files={"README.md": path.read_bytes()})
    if "deepspeedai/DeepSpeed" in web.repositories:
        web.repositories["microsoft/DeepSpeed"] = Repository(moved_to="deepspeedai/DeepSpeed")
    return web


def main(arguments: list[str]) -> None:
    folder = Path(arguments[0])
    if "--background" in arguments:
        child = subprocess.Popen(
            [sys.executable, __file__, str(folder)], stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        assert child.stdout is not None
        for line in child.stdout:
            if not line.strip():
                break
            print(line, end="")
        print(f"FIXTURE_WEB_PID={child.pid}")
        return
    with fill(Web(), folder) as web:
        for name, value in web.environment.items():
            print(f"export {name}={shlex.quote(value)}")
        print(flush=True)
        while True:
            time.sleep(3600)


if __name__ == "__main__":
    main(sys.argv[1:])
