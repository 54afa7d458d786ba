"""What `bench` and `diagnose` have in common: their options, and the workbench these ask for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from tui.commands.options import complete_problems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.specs.settings import Settings
    from engine.runtime.measure.solvers import SolverResources

ProblemWord = Annotated[
    str,
    typer.Argument(
        metavar="PROBLEM",
        help="A problem's name, or the folder of your own.",
        autocompletion=complete_problems,
    ),
]
OptionWords = Annotated[
    list[str] | None, typer.Option(metavar="KEY=VALUE", help="A setting; may be repeated.")
]
Device = Annotated[
    str, typer.Option(metavar="NAME", help="Where a teacher computes: auto, cpu, cuda.")
]
PROGRAM = "A program: a file, - for standard input, run:N or run:N/ID."


def prepare(problem: str, options: Sequence[str], device: str) -> tuple[SolverResources, Settings]:
    """A workbench for the problem, and the settings. Raises UnknownName and UserError."""
    from engine.domain.specs.settings import resolve
    from engine.evaluate.pool import Limits
    from engine.runtime.measure.solvers import SolverResources

    ref, settings = resolve(problem, options)
    limits = Limits(settings.eval_seconds, settings.memory_mb)
    workers = settings.eval_concurrency or os.cpu_count() or 1
    return SolverResources(ref, limits, workers, device), settings
