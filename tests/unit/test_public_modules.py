"""What is public: every ``__all__`` is sorted and true, the error tree is drawn, commands are documented."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import accelrag
import accelrag.errors as errors
from accelrag.cli.main import COMMANDS


def modules(folder: Path, name: str) -> list[str]:
    """Every module below a package, without importing any: the web page's would load gradio."""
    found = []
    for inside in pkgutil.iter_modules([str(folder)]):
        if inside.name != "__main__":
            found.append(f"{name}.{inside.name}")
            found += modules(folder / inside.name, f"{name}.{inside.name}") if inside.ispkg else []
    return found


EVERY = modules(Path(accelrag.__file__).parent, "accelrag")
MODULES = [name for name in EVERY if not name.startswith("accelrag.ui.")]


def tree(name: str, repository) -> ast.Module:
    path = repository / "src" / name.replace(".", "/")
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", MODULES)
def test_every_name_of_all_exists_and_they_are_sorted(name):
    module = importlib.import_module(name)
    public = getattr(module, "__all__", None)
    if public is None:
        assert not [n for n in vars(module) if not n.startswith("_") and getattr(module, n, 0) is None]
        return
    assert len(set(public)) == len(public)
    constants = [n for n in public if n.isupper()]
    classes = [n for n in public if n[0].isupper() and not n.isupper()]
    rest = [n for n in public if n not in constants and n not in classes]
    assert list(public) == sorted(constants) + sorted(classes) + sorted(rest)
    for each in public:
        assert getattr(module, each) is not None


@pytest.mark.parametrize("name", EVERY)
def test_every_function_and_class_of_all_is_documented(name, repository):
    parsed = tree(name, repository)
    made = [node for node in parsed.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    public = [
        ast.literal_eval(node.value)
        for node in parsed.body
        if isinstance(node, ast.Assign) and [ast.unparse(t) for t in node.targets] == ["__all__"]
    ]
    assert ast.get_docstring(parsed)
    for node in made:
        if public and node.name in public[0]:
            assert ast.get_docstring(node), node.name


@pytest.mark.parametrize("name", MODULES)
def test_no_package_exports_a_name_that_is_one_of_its_modules(name):
    module = importlib.import_module(name)
    if hasattr(module, "__path__"):
        inside = {m.name for m in pkgutil.iter_modules(module.__path__)}
        clash = inside & set(getattr(module, "__all__", ()))
        assert clash <= ({"main"} if name == "accelrag.cli" else set())


def test_every_error_stands_in_the_tree_under_its_parent():
    drawn: dict[str, tuple[int, str]] = {}
    lines = [line for line in (errors.__doc__ or "").splitlines() if re.match(r"[│├└─ ]*[A-Z]\w+ {2,}", line)]
    parents: list[tuple[int, str]] = []
    for line in lines:
        name = re.search(r"[A-Z]\w+", line)
        assert name
        depth = name.start()
        parents = [p for p in parents if p[0] < depth]
        drawn[name[0]] = (depth, parents[-1][1] if parents else "Exception")
        parents.append((depth, name[0]))
        assert line[name.end() :].strip(), f"{name[0]} is not described"
    classes = {n: c for n, c in vars(errors).items() if isinstance(c, type) and c.__module__ == errors.__name__}
    assert set(drawn) == set(classes) == set(errors.__all__)
    assert {n: c.__bases__[0].__name__ for n, c in classes.items()} == {n: parent for n, (_, parent) in drawn.items()}


def test_every_error_of_the_package_is_one_of_the_tree():
    """No module raises an exception class of its own that a front end would not know."""
    for name in MODULES:
        for made in vars(importlib.import_module(name)).values():
            ours = isinstance(made, type) and issubclass(made, Exception) and made.__module__.startswith("accelrag")
            if ours and not made.__name__.startswith("_"):
                assert issubclass(made, errors.AccelragError), made


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example_and_stands_in_the_readme(command, repository):
    module = importlib.import_module(f"accelrag.cli.{COMMANDS[command][0]}")
    made = getattr(module, f"{command}_command")
    assert made.name == command
    assert made.help
    assert re.search(rf"^ *accelrag {command}\b", made.help, re.MULTILINE)
    assert made.short_help == COMMANDS[command][1]
    for parameter in made.params:
        if parameter.param_type_name == "option":
            assert parameter.help, f"{command} {parameter.opts}"
    readme = (repository / "README.md").read_text(encoding="utf-8")
    assert f"accelrag {command}" in readme
