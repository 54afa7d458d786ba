"""`preceptor serve`: the screens in a browser on this machine."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.options import Db, Json, complete_runs
from tui.text.streams import emit, put, say


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
    from tui.app import browser

    browser.check_library()
    words = ("watch", pick_job(db, run).word) if run else ()
    listening = browser.open_port(port)
    token = browser.make_token()
    url = browser.address(listening.getsockname()[1], token)
    browser.write_environment(os.environ, db, not allow_changes)
    if as_json:
        emit({"url": url, "read_only": not allow_changes})
    else:
        put(url)
        say("anyone with this address may look" + (" and change" if allow_changes else ""))
    browser.serve_screens(listening, token, words)
