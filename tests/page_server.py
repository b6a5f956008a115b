"""The web page as a person starts it: a process of its own, on a free port, over a home."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType

_ADDRESS = re.compile(r"The page is at (http://\S+)")


class PageServer:
    """Use as a context manager; ``url`` ends with a slash. What the server said is in ``said``."""

    def __init__(
        self,
        home: Path,
        *flags: str,
        model: Path | None = None,
        env: dict[str, str] | None = None,
        python: str = sys.executable,
    ) -> None:
        own = [] if model is None else ["--model", str(model)]
        self._command = [python, "-m", "accelrag", "serve", "--home", str(home), "--port", "0", *own, *flags]
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("ACCELRAG_", "OPENAI_", "OLLAMA_"))}
        self._env = {**kept, "HOME": str(home), "XDG_CONFIG_HOME": str(home / "none"), **(env or {})}
        self.said: list[str] = []
        self.url = ""

    def __enter__(self) -> PageServer:
        self._process = subprocess.Popen(
            self._command, env=self._env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self.said.append(line.rstrip())
            if found := _ADDRESS.search(line):
                self.url = found[1]
                break
        else:
            self._process.wait()
            self._process.stderr.close()
            raise AssertionError("the page did not start:\n" + "\n".join(self.said))
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        return self

    def _read(self) -> None:
        assert self._process.stderr is not None
        self.said += [line.rstrip() for line in self._process.stderr]

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        assert self._process.stderr is not None
        self._process.stderr.close()

    @property
    def pid(self) -> int:
        return self._process.pid
