"""``accelrag serve`` and ``accelrag mcp``."""

from __future__ import annotations

from typing import Any

import click

from accelrag.cli.console import notice, out
from accelrag.cli.options import common, settings_of
from accelrag.optional import require

__all__ = ["mcp_command", "serve_command"]


@click.command("serve", short_help="The web page.")
@common
@click.option("--host", metavar="ADDRESS", help="Address to listen on; 127.0.0.1 is this machine alone.")
@click.option("--port", type=click.IntRange(0, 65535), metavar="N", help="Port to listen on; 0 takes a free one.")
@click.option("--auth", metavar="USER:PASSWORD|FILE", help="Ask for a login. A file holds hashes, one login a line.")
@click.option("--public-url", metavar="URL", help="Address under which others reach the page, behind a proxy.")
@click.option("--root-path", metavar="PATH", help="Path of the page behind a proxy, such as /lists.")
@click.option("--rate-limit", type=click.IntRange(0), metavar="N", help="Questions a minute and client; 0: no limit.")
@click.option("--llm", metavar="SPEC", help="The model that is chosen at first.")
@click.option("--visitor-models/--no-visitor-models", default=None, help="Whether visitors may choose a model.")
@click.option(
    "--library",
    type=click.Choice(["local", "login", "everyone"]),
    help="Who may update: this machine's browser, admins' logins, everyone.",
)
@click.option("--embed-in", metavar="ORIGINS", help="Origins that may show the page in a frame; * means all.")
@click.option("--api/--no-api", default=None, help="Answer OpenAI-compatible requests under /v1, with a key.")
@click.option("--hash-password", "hash_user", metavar="USER", help="Print a line for a file of logins, and end.")
@click.option("--admin", is_flag=True, help="With --hash-password: a login that may update the library.")
def serve_command(hash_user: str | None, admin: bool, **given: Any) -> int:
    """Serve the web page: ask, see the proof, explore the list.

    \b
    accelrag serve
    accelrag serve --host 0.0.0.0 --auth reader:secret
    accelrag serve --public-url https://lists.example.org --auth logins.txt
    """
    require("page", "the web page")
    if hash_user is not None:
        from accelrag.ui.logins import hashed_login

        password = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
        out(hashed_login(hash_user, password, admin=admin))
        return 0
    from accelrag.ui import serve

    serve(settings_of(**given), notice=notice)
    return 0


@click.command("mcp", short_help="A server for agents over stdio.")
@common
@click.option("--llm", metavar="SPEC", help="The model that answers; none by default.")
def mcp_command(home: str | None, model: str | None, list_: str | None, llm: str | None) -> int:
    """Serve the tools search, ask, show_entry and list_sections over the Model Context Protocol.

    \b
    accelrag mcp --home ~/lists
    """
    from accelrag.mcp import serve_stdio

    serve_stdio(settings_of(home=home, model=model, list_=list_, llm=llm))
    return 0
