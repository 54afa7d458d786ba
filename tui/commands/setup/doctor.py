"""`preceptor doctor`: whether everything that a search needs is there."""

from __future__ import annotations

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.options import Db, Json
from tui.text.streams import emit, put


def doctor(db: Db = DEFAULT_DB, as_json: Json = False) -> None:
    """Examine the installation: versions, sandbox, teachers, models, store, disk, sessions.

    Nothing is changed. Exit code: 0 when all is well or can be lived with, 1 when something fails.

    \b
    Examples:
      preceptor doctor
      preceptor doctor --db /data/runs.db --json
    """
    from dataclasses import asdict

    from engine.api.doctor import examine

    checks = []
    for check in examine(db):
        checks.append(check)
        if not as_json:
            put(f"{check.verdict:<5} {check.name}: {check.detail}")
    healthy = all(check.verdict != "fail" for check in checks)
    if as_json:
        emit({"healthy": healthy, "checks": [asdict(check) for check in checks]})
    raise typer.Exit(0 if healthy else 1)
