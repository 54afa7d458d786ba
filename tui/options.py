"""Options and arguments that several commands share, so that they read the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DEFAULT_DB = Path("runs.db")

Db = Annotated[
    Path,
    typer.Option("--db", metavar="FILE", envvar="PRECEPTOR_DB", help="The run store."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON (docs/schema) to stdout.")]
