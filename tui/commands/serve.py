"""`preceptor serve`: the screens in a browser on this machine.

textual-serve behind an address that none can guess, on loopback.
"""

from __future__ import annotations

import hmac
import importlib.util
import logging
import os
import secrets
import shlex
import socket
import sys
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import tui
from engine.domain.names import DEFAULT_DB
from problems.errors import UserError, WorldError
from tui.commands.options import Db, Json, complete_runs
from tui.commands.viewing import READ_ONLY
from tui.text.streams import emit, put, say

if TYPE_CHECKING:
    from aiohttp import web

    Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


HOST = "127.0.0.1"
"""The only address that is listened at: this machine itself."""

CLOSING = 2.0
"""Seconds that pages have to close when the server ends."""

POLICY = "default-src 'self' data: blob: 'unsafe-inline'; connect-src 'self' ws:"
"""What a page may load; textual-serve's own would ask a server of fonts."""


def open_port(port: int) -> socket.socket:
    """A socket at a port of this machine, at any free one for 0. Raises WorldError."""
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        raise WorldError(
            f"port {port} cannot be used: {error.strerror}; --port 0 takes a free one"
        ) from error


def make_token() -> str:
    """The part of an address that nobody can guess: 43 letters and digits of an URL."""
    return secrets.token_urlsafe(32)


def address(port: int, token: str) -> str:
    """What the user opens in a browser."""
    return f"http://{HOST}:{port}/{token}/"


def write_environment(environment: MutableMapping[str, str], db: Path, read_only: bool) -> None:
    """Say in the environment which store all pages show, and whether they only read it."""
    environment["PRECEPTOR_DB"] = str(db.absolute())
    environment[READ_ONLY] = "1" if read_only else ""


def check_library() -> None:
    """Find textual-serve. Raises UserError where it is not installed."""
    if importlib.util.find_spec("textual_serve") is None:
        raise UserError("serve needs textual-serve: pip install 'preceptor[serve]'")


def serve_screens(listening: socket.socket, token: str, words: Sequence[str] = ()) -> None:
    """Serve pages until Ctrl-C or SIGTERM; each is a viewer of its own, `preceptor WORDS`."""
    from aiohttp import web

    for library in ("textual-serve", "aiohttp"):  # they log what pages send, and addresses
        logging.getLogger(library).setLevel(logging.CRITICAL + 1)
    port = listening.getsockname()[1]
    with redirect_stdout(sys.stderr):  # textual-serve prints there what a viewer complained of
        web.run_app(
            make_application(port, token, words),
            sock=listening,
            print=None,
            access_log=None,
            shutdown_timeout=CLOSING,
        )


async def make_application(port: int, token: str, words: Sequence[str]) -> web.Application:
    """The pages of textual-serve below the token, and nothing beside it."""
    from aiohttp import web
    from textual_serve.server import Server

    command = shlex.join((sys.executable, "-P", "-m", tui.__name__, *words))
    server = Server(f"exec {command}", HOST, port, title="preceptor")
    server.console.quiet = True
    application = web.Application(middlewares=[web.middleware(partial(let_pass, token))])
    application.on_response_prepare.append(seal)
    application.add_subapp(f"/{token}", await server._make_app())
    return application


async def let_pass(token: str, request: web.Request, handler: Handler) -> web.StreamResponse:
    """Let a request pass, a page's connection too, whose path begins with the token; else 403."""
    from aiohttp import web

    if not knows(request.rel_url.raw_path, token):
        raise web.HTTPForbidden(text="the address is not the one that preceptor serve printed\n")
    return await handler(request)


async def seal(_request: web.Request, response: web.StreamResponse) -> None:
    """Let a page load from here alone, and tell its address to nobody."""
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["Referrer-Policy"] = "no-referrer"


def knows(path: str, token: str) -> bool:
    """Whether a path begins with the token; takes as long wherever the two differ."""
    first = path.lstrip("/").partition("/")[0]
    return hmac.compare_digest(first.encode("utf-8", "surrogatepass"), token.encode())


def serve(
    run: Annotated[
        str,
        typer.Argument(
            metavar="[RUN]",
            help="A run's number or name, latest, or a study as study:N. Without it the list.",
            autocompletion=complete_runs,
        ),
    ] = "",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where; 0 for a free one.")] = 8000,
    allow_changes: Annotated[
        bool,
        typer.Option(
            "--allow-changes", help="Let the browser start, pause and stop runs, write files."
        ),
    ] = False,
    db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Show the screens in a browser on this machine, until Ctrl-C.

    The address that is printed is the only way in: whoever has it sees the store, and changes
    nothing unless --allow-changes is given. Every page is a viewer of its own; closing one never
    ends a run. From another machine: ssh -L 8000:127.0.0.1:8000 HOST, then the same address.

    \b
    Examples:
      preceptor serve
      preceptor serve latest --port 0
    """
    from engine.api.store import pick_job

    check_library()
    words = ("watch", pick_job(db, run).word) if run else ()
    listening = open_port(port)
    token = make_token()
    url = address(listening.getsockname()[1], token)
    write_environment(os.environ, db, not allow_changes)
    if as_json:
        emit({"url": url, "read_only": not allow_changes})
    else:
        put(url)
        say("anyone with this address may look" + (" and change" if allow_changes else ""))
    serve_screens(listening, token, words)
