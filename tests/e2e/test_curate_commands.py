"""The commands of a curator as programs: exit codes, JSON alone on stdout, and the script that runs them all."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fake_servers import Reply, Repository, Web
from followed_home import readme

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def web():
    with Web() as server:
        server.sites["/robots.txt"] = Reply(404)
        server.repositories["o/tool"] = Repository({"README.md": readme("tool")})
        server.sites["/moved"] = Reply(301, b"", {"location": "/new"})
        page = "<title>New</title><article><p>" + "It says what the board does. " * 20 + "</p></article>"
        server.sites["/new"] = Reply(200, page.encode(), {"content-type": "text/html"})
        yield server


@pytest.fixture
def run(tmp_path, web, tiny_encoder):
    environment = {
        **os.environ, **web.environment, "ACCELRAG_HOME": str(tmp_path / "home"), "ACCELRAG_MODEL": str(tiny_encoder),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1",
    }  # fmt: skip

    def start(*command: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(list(map(str, command)), env=environment, cwd=tmp_path, capture_output=True, text=True)

    return start


def write_list(tmp_path, web, *lines):
    path = tmp_path / "chips.md"
    moved = f"- [Moved thing]({web.url}/moved) - A thing.\n"
    path.write_text("# Chips\n\n## Tools\n\n" + moved + "".join(lines), encoding="utf-8")
    return path


def test_update_check_doctor_and_gc_speak_json_and_tell_by_their_exit_codes(run, tmp_path, web):
    tool = "- [Tool](https://github.com/o/tool) - A tool.\n"
    path = write_list(tmp_path, web, tool)
    done = run("accelrag", "update", "--list", path, "--json", "--only", "github")
    assert done.returncode == 0, done.stderr
    shape = json.loads(done.stdout)
    assert (shape["lists"][0]["name"], shape["index"]["entries"], shape["fetch"]["fetched"]) == ("chips", 2, 1)

    write_list(tmp_path, web, tool, "- [Other](https://github.com/o/other) - Another tool.\n")
    done = run("accelrag", "update", "--offline")
    assert "1 added" in done.stdout
    assert "added: Other (Tools) https://github.com/o/other" in done.stdout

    done = run("accelrag", "check", "--offline", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["exit_code"] == 0

    path.write_text("<html><body>Sign in</body></html>")
    done = run("accelrag", "update", "--json", "--offline")
    assert done.returncode == 1
    assert "HTML page" in json.loads(done.stdout)["error"]["message"]

    done = run("accelrag", "gc", "--dry-run", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["dry_run"]

    (tmp_path / "home" / "accelrag.toml").write_text("no_such_setting = 1\n")
    done = run("accelrag", "doctor", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["findings"][0]["about"] == "settings"


@pytest.mark.skipif(shutil.which("bash") is None, reason="the script is written for bash")
def test_the_script_of_the_docs_writes_its_reports_and_a_mended_copy(run, tmp_path, web):
    path = write_list(tmp_path, web)
    done = run("bash", ROOT / "scripts" / "curate.sh", path, "out")
    assert done.returncode == 0, done.stderr
    assert "Links that moved" in done.stdout
    assert f"]({web.url}/new)" in (tmp_path / "out" / "fixed.md").read_text()
    assert json.loads((tmp_path / "out" / "report.json").read_text())["counts"]["moved-link"] == 1
    assert json.loads((tmp_path / "out" / "changes.json").read_text())["lists"][0]["first"]
    assert "healthy" in json.loads((tmp_path / "out" / "doctor.json").read_text())
    path.unlink()
    assert run("bash", ROOT / "scripts" / "curate.sh", path, "out").returncode == 2


def test_the_examples_run_the_script_that_is_tested():
    for name in ("curate.yml", "curate.cron"):
        assert "scripts/curate.sh " in (ROOT / "docs" / "examples" / name).read_text()
    assert "scripts/curate.sh" in (ROOT / "docs" / "curators.md").read_text()
