"""`preceptor doctor`: whether everything that a search needs is there."""

from __future__ import annotations

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.options import Db, ExecutorWord, Json
from tui.text.streams import emit, put


def doctor(executor: ExecutorWord = None, db: Db = DEFAULT_DB, as_json: Json = False) -> None:
    """Examine the installation: versions, sandbox, teachers, models, store, disk, sessions.

    With --executor also the workers of a cluster: versions, cores, sandboxes.
    Nothing is changed. Exit code: 0 when all is well or can be lived with, 1 when something fails.

    \b
    Examples:
      preceptor doctor
      preceptor doctor --db /data/runs.db --json
      preceptor doctor --executor dask:tcp://127.0.0.1:8786
    """
    from dataclasses import asdict

    from engine.api.doctor import examine

    checks = []
    for check in examine(db, executor or "local"):
        checks.append(check)
        if not as_json:
            put(f"{check.verdict:<5} {check.name}: {check.detail}")
    healthy = all(check.verdict != "fail" for check in checks)
    if as_json:
        emit({"healthy": healthy, "checks": [asdict(check) for check in checks]})
    raise typer.Exit(0 if healthy else 1)
