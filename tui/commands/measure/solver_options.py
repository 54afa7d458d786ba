"""What `bench` and `diagnose` have in common: their options."""

from __future__ import annotations

from typing import Annotated

import typer

Device = Annotated[
    str, typer.Option(metavar="NAME", help="Where a teacher computes: auto, cpu, cuda.")
]
PROGRAM = "A program: a file, - for standard input, run:N or run:N/ID."
