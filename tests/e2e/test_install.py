"""The image's own commands and the smaller installations, run in fresh environments; no container engine is needed.

What cannot be run without one: the base image, the user it creates, its network.
``tests/unit/test_packaging.py`` reads those parts.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from page_server import PageServer

pytestmark = pytest.mark.install

QUESTION = "What does PagedAttention do about wasted GPU memory?"


@dataclass(frozen=True)
class Image:
    """The folders that stand for the image's: both environments, the sources that were copied in, the home."""

    root: Path

    def here(self, text: str) -> str:
        """``text`` with the image's folders replaced by this one's."""
        for name in ("/opt/build", "/opt/accelrag", "/home-of-lists"):
            text = text.replace(name, f"{self.root}{name}")
        return text.replace("--no-cache-dir ", "--quiet ")

    def run(self, command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run ``command`` by a shell in the folder of the sources."""
        environment = {
            k: v for k, v in os.environ.items() if not k.startswith(("ACCELRAG_", "PYTEST_", "VIRTUAL_ENV"))
        }
        environment |= {"HOME": str(self.root), "PYTHONPATH": "", **variables}
        return subprocess.run(
            ["sh", "-c", command], cwd=self.root / "src", env=environment, capture_output=True, text=True, check=False
        )


def marked(dockerfile: str, name: str) -> str:
    """The RUN instruction below ``# command: NAME``, as one line of shell."""
    block = dockerfile.partition(f"# command: {name}\n")[2]
    run = re.match(r"RUN ((?:.*\\\n)*.*)", block)
    assert run, name
    return run[1].replace("\\\n", " ")


@pytest.fixture(scope="module")
def image(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Image:
    image = Image(tmp_path_factory.mktemp("image"))
    sources = image.root / "src"
    dockerfile = (repository / "Dockerfile").read_text(encoding="utf-8")
    for line in re.findall(r"^COPY (?!--from)(.+)$", dockerfile, re.MULTILINE):
        *names, target = line.split()
        for name in names:
            here, there = repository / name, sources / target
            if here.is_dir():
                shutil.copytree(here, there, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                there.mkdir(parents=True, exist_ok=True)
                shutil.copy(here, there)
    made = image.run(image.here("python3 -m venv /opt/build && /opt/build/bin/pip install --quiet --upgrade pip"))
    assert made.returncode == 0, made.stderr
    for name in ("build", "serve"):
        done = image.run(image.here(marked(dockerfile, name).replace("python -m venv", "python3 -m venv")))
        assert done.returncode == 0, done.stderr[-3000:]
    return image


def test_the_image_answers_and_serves_without_torch(image: Image) -> None:
    accelrag = image.here("/opt/accelrag/bin/accelrag")
    home = image.here("/home-of-lists")
    there = image.run(image.here("/opt/accelrag/bin/python -c 'import torch'"))
    assert "No module named 'torch'" in there.stderr
    asked = image.run(f'{accelrag} ask "{QUESTION}" --json', ACCELRAG_HOME=home)
    assert asked.returncode == 0, asked.stderr
    answer = json.loads(asked.stdout)
    assert any("2309.06180" in c["entry"]["url"] for c in answer["citations"])
    with PageServer(Path(home), env={"PYTHONPATH": ""}, python=image.here("/opt/accelrag/bin/python")) as server:
        assert httpx.get(f"{server.url}healthz").json()["status"] == "ok"


def test_the_library_alone_answers_takes_new_text_and_names_what_it_lacks(image: Image, tmp_path: Path) -> None:
    environment = tmp_path / "less"
    made = image.run(
        f"python3 -m venv {environment} && {environment}/bin/pip install --quiet --upgrade pip && "
        f"{environment}/bin/pip install --quiet -r requirements/library.txt && "
        f"{environment}/bin/pip install --quiet --no-deps ."
    )
    assert made.returncode == 0, made.stderr[-3000:]
    home = tmp_path / "home"
    shutil.copytree(image.here("/home-of-lists"), home)
    text = {"title": "Efficient Memory Management for Large Language Model Serving with PagedAttention"}
    text |= {"url": "https://arxiv.org/abs/2309.06180", "text": "The marmot cache keeps 41 pages in the burrow. " * 3}
    (tmp_path / "own.jsonl").write_text(json.dumps(text), encoding="utf-8")
    accelrag = f"{environment}/bin/accelrag"
    taken = image.run(f"{accelrag} import {tmp_path / 'own.jsonl'} && {accelrag} index", ACCELRAG_HOME=str(home))
    assert taken.returncode == 0, taken.stderr
    asked = image.run(
        f"{environment}/bin/python -c 'import accelrag; print(accelrag.open().ask(\"{QUESTION}\"))'",
        ACCELRAG_HOME=str(home),
    )
    assert asked.returncode == 0, asked.stderr
    assert "[1]" in asked.stdout
    for command, extra in (("serve", "page"), ("mcp", "mcp")):
        refused = image.run(f"{accelrag} {command}", ACCELRAG_HOME=str(home))
        assert refused.returncode == 1
        assert f"accelrag[{extra}]" in refused.stderr
        assert "Traceback" not in refused.stderr
