"""The web application: the page, its guard, its logins and ``/healthz``; and the server that runs it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from accelrag.errors import StorageError
from accelrag.optional import require
from accelrag.serving import LiveIndex
from accelrag.settings import Settings, is_loopback
from accelrag.ui.access import Access
from accelrag.ui.asking import Asking
from accelrag.ui.examples import Examples
from accelrag.ui.explore import Explore
from accelrag.ui.generators import Generators
from accelrag.ui.guard import Guard
from accelrag.ui.jobs import Jobs
from accelrag.ui.limits import RateLimit
from accelrag.ui.logins import Logins

if TYPE_CHECKING:
    from socket import socket

    import uvicorn
    from fastapi import FastAPI

__all__ = ["build_app", "listening", "serve"]

# What a page does besides asking (draw the map, filter, stop) comes in small requests of its own.
_REQUESTS_PER_QUESTION = 10
# Gradio starts 40 events at a time; as many questions that wait for a model would keep a stop from being heard.
_EVENTS_AT_ONCE = 4_000
_KEEP_ALIVE = 75  # seconds: longer than browsers and proxies keep a connection, so none is closed as a question comes


def build_app(settings: Settings, *, generators: Generators | None = None) -> FastAPI:
    """The ASGI application over a home.

    Raises:
        SettingsError: the logins cannot be read.
    """
    require("page", "the web page")
    # Read by Gradio when it is imported: it must neither report its use nor look for newer versions.
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import gradio as gr
    from fastapi import FastAPI

    from accelrag.ui.blocks import page_assets, page_blocks
    from accelrag.ui.parts import Parts

    root = settings.root_path.strip("/")
    settings = replace(settings, root_path=f"/{root}" if root else "")
    logins = Logins.read(settings.auth)
    access = Access.of(settings, logins)
    live, jobs = LiveIndex(settings), Jobs()
    found = generators or Generators(settings)
    parts = Parts(
        settings=settings,
        live=live,
        jobs=jobs,
        asking=Asking(settings, live, jobs, found),
        explore=Explore(settings, live),
        generators=found,
        limit=RateLimit(settings.rate_limit),
        examples=Examples(live),
        access=access,
    )
    app = FastAPI(title="accelrag", docs_url=None, redoc_url=None, openapi_url=None)

    @app.get("/healthz")
    def healthz() -> dict[str, Any]:
        return {"status": "ok", "index": live.generation or None}

    page = page_blocks(parts)
    page.max_threads = _EVENTS_AT_ONCE
    page.queue(api_open=False, default_concurrency_limit=None, max_size=None)
    app.add_middleware(Guard, access=access, limit=RateLimit(settings.rate_limit * _REQUESTS_PER_QUESTION))
    mounted: FastAPI = gr.mount_gradio_app(
        app,
        page,
        path="/",
        auth=logins.admit if logins else None,
        root_path=settings.root_path or None,
        footer_links=[],
        run_history=False,
        show_error=True,
        max_file_size=1,
        ssr_mode=False,
        pwa=False,
        mcp_server=False,
        enable_monitoring=False,
        **page_assets(),
    )
    mounted.state.parts = parts
    return mounted


def serve(settings: Settings, *, notice: Callable[[str], None] = lambda _: None) -> None:
    """Serve the page until it is interrupted.

    Raises:
        SettingsError: the logins cannot be read.
        StorageError: the address cannot be listened on.
    """
    import uvicorn

    app = build_app(settings)
    if not is_loopback(settings.host) and not settings.auth:
        notice(
            f"{settings.host} can be reached by others, and there is no login: everyone may ask. "
            "`--auth user:password` asks for one."
        )
    shown = f"[{settings.host}]" if ":" in settings.host else settings.host
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=2,
        timeout_keep_alive=_KEEP_ALIVE,
    )
    with listening(config, shown) as sock:
        port = sock.getsockname()[1]
        notice(f"The page is at http://{shown}:{port}/ (Ctrl-C ends it)")
        uvicorn.Server(config).run(sockets=[sock])


def listening(config: uvicorn.Config, shown: str) -> socket:
    """A socket that listens already: who follows the address before the loop runs waits and is not refused.

    ``shown`` is the host as an address writes it.

    Raises:
        StorageError: the address cannot be listened on.
    """
    try:
        sock = config.bind_socket()
        sock.listen(config.backlog)
    except (OSError, SystemExit) as error:
        raise StorageError(
            f"{shown}:{config.port} cannot be listened on", hint="another program may use it: give another --port"
        ) from error
    return sock
