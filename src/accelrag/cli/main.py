"""The command group and the one place at which an error becomes a line and an exit code.

0 answered · 1 failure · 2 usage · 3 nothing in the list supports an answer · 130 interrupted
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Sequence
from functools import singledispatch

import click
from click.shell_completion import shell_complete

from accelrag.errors import AccelragError, UsageError
from accelrag.version import __version__

__all__ = ["COMMANDS", "main", "run"]

_COMPLETE = "_ACCELRAG_COMPLETE"  # set by the shell; https://click.palletsprojects.com/en/stable/shell-completion/

# Each command with the module that holds it and its line in the overview, which must not cost an import.
COMMANDS: dict[str, tuple[str, str]] = {
    "ask": ("ask", "A cited answer to a question."),
    "search": ("search", "Ranked entries with their best passage."),
    "list": ("entries", "The entries of the list."),
    "show": ("entries", "The text that was read for an entry."),
    "export": ("export", "BibTeX, Markdown or JSON Lines of entries."),
    "fetch": ("work", "Fetch what the entries point at."),
    "import": ("work", "Take texts that you have already."),
    "index": ("work", "Build the index from the corpus."),
    "update": ("update", "Refresh the list, say what changed, fetch and index it."),
    "check": ("check", "Link health, duplicates, list titles against real ones."),
    "eval": ("evaluate", "Figures on a question file."),
    "gc": ("update", "Remove texts, vectors and encoders that nothing uses."),
    "doctor": ("check", "What is wrong, and the command that fixes it."),
    "serve": ("serve", "The web page."),
    "mcp": ("serve", "A server for agents over stdio."),
    "status": ("status", "What is here: entries, coverage, model, age."),
    "config": ("status", "Each setting, its value and where it came from."),
}


class _Lazy(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = importlib.import_module(f"accelrag.cli.{COMMANDS[name][0]}")
        command: click.Command = getattr(module, f"{name}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            guess = f"did you mean `accelrag {near[0]}`?" if near else "`accelrag --help` lists the commands"
            if " " in args[0]:
                guess = 'to ask a question: accelrag ask "…"'
            raise UsageError(f"there is no command {args[0][:60]!r}", hint=guess)
        return super().resolve_command(ctx, args)


@click.group(cls=_Lazy, invoke_without_command=False, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="accelrag")
def _group() -> None:
    """Ask a curated list of resources, and check every sentence of the answer.

    \b
    accelrag ask "What does PagedAttention do about wasted GPU memory?"
    """


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line and exit."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    code = 0
    try:
        code = run(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        _silence_stdout()
    except OSError as error:  # a full disk behind a redirection
        _say(f"error: the output cannot be written: {error.strerror}")
        code = 1
    # Leaving at once saves the 0.1 s in which the interpreter frees what the process ends with anyway.
    os._exit(code)


def run(arguments: list[str]) -> int:
    """Run the command line; the exit code. Every error has become a line by then."""
    as_json = "--json" in arguments
    try:
        if instruction := os.environ.get(_COMPLETE):
            return shell_complete(_group, {}, "accelrag", _COMPLETE, instruction)
        # Not _group.main(): it would turn a broken pipe into exit code 1.
        with _group.make_context("accelrag", arguments) as context:
            result = _group.invoke(context)
        return result if isinstance(result, int) else 0
    except BaseException as error:  # noqa: BLE001 - a panic of a Rust library is no Exception
        return _exit_code(error, as_json)


@singledispatch
def _exit_code(error: BaseException, as_json: bool) -> int:
    """Report what ended the command; its exit code."""
    if os.environ.get("PYTHONDEVMODE"):
        raise error
    what = f"{type(error).__name__}: {error}".splitlines()[0][:300]
    hint = "please report it; PYTHONDEVMODE=1 shows where it happened"
    return _report(AccelragError(f"unexpected error: {what}", hint=hint), as_json)


@_exit_code.register
def _(error: click.exceptions.Exit, as_json: bool) -> int:  # --help and --version
    return error.exit_code


@_exit_code.register
def _(error: click.exceptions.NoArgsIsHelpError, as_json: bool) -> int:
    click.echo(error.format_message(), err=True)
    return 2


@_exit_code.register
def _(error: click.ClickException, as_json: bool) -> int:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "accelrag"
    return _report(UsageError(error.format_message(), hint=f"`{command} --help` shows what it takes"), as_json)


@_exit_code.register
def _(error: AccelragError, as_json: bool) -> int:
    return _report(error, as_json)


@_exit_code.register(KeyboardInterrupt)
@_exit_code.register(click.exceptions.Abort)
def _(error: BaseException, as_json: bool) -> int:
    _say("interrupted")
    return 130


@_exit_code.register
def _(error: BrokenPipeError, as_json: bool) -> int:
    _silence_stdout()
    return 0


@_exit_code.register
def _(error: SystemExit, as_json: bool) -> int:
    return error.code if isinstance(error.code, int) else 1


@_exit_code.register
def _(error: MemoryError, as_json: bool) -> int:
    hint = "close other programs or take fewer entries"
    return _report(AccelragError("there is not enough memory", hint=hint), as_json)


@_exit_code.register
def _(error: OSError, as_json: bool) -> int:
    if error.errno == errno.ENOSPC and not error.filename:  # standard output itself: main says so
        raise error
    where = f" ({error.filename})" if error.filename else ""
    hint = "check the path, its permissions and free space"
    return _report(AccelragError(f"{error.strerror or error}{where}", hint=hint), as_json)


def _report(error: AccelragError, as_json: bool) -> int:
    if as_json:
        from accelrag.cli.console import out_json

        out_json(error.to_dict())
    else:
        _say(f"error: {' '.join(str(error).split())}")
        if error.hint:
            _say(f"  try: {error.hint}")
    return error.exit_code


def _say(line: str) -> None:
    from accelrag.cli.console import safe

    try:
        print(safe(line), file=sys.stderr)  # noqa: T201
    except BrokenPipeError:
        return


def _silence_stdout() -> None:
    # https://docs.python.org/3/library/signal.html#note-on-sigpipe
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 1)
