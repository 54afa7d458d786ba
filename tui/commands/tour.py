"""`preceptor tour`: a search seen from its start to the file that one takes away."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tui.text.streams import is_terminal, put, say

if TYPE_CHECKING:
    from engine.api.run import Run


SHORT = {"generations": 1, "states": 64, "phases": 1, "selection": "none"}
"""Settings of the replayed run: one generation, judged by the teacher on few states."""

WIDTH = 80
"""Characters of a line of what is shown."""

STEPS = (
    "A search. Eight seed rules for job shops are evaluated, a teacher comments on them, and five "
    "children are asked for. The replies were written by hand and recorded; all else happens now.",
    "A decision. In one state of the best program's own schedules the teacher would have chosen "
    "otherwise: the schedule after each of the two choices.",
    "The result. The best program, written to a file that needs nothing of Preceptor; run, it "
    "solves an instance and compares itself with what was recorded.",
    "The whole recording, five generations of it, is in the store of the tour as well.",
)


def tour(
    folder: Annotated[
        Path, typer.Argument(metavar="[DIR]", help="A new folder for what the tour makes.")
    ] = Path("preceptor-tour"),
) -> None:
    """See a search, a decision and a result in three minutes, without a model or a key.

    \b
    Examples:
      preceptor tour
      preceptor tour /tmp/tour
    """
    from engine.api.run import Run
    from engine.api.store import import_run
    from engine.domain.names import command
    from problems.errors import WorldError
    from tui.text.manual import demo

    _make(folder)
    db = folder / "tour.db"
    _announce(0)
    run = Run(db, 1)
    code = _replay(db)
    if code:
        raise WorldError(f"the replayed run did not end well; see it with: {command('show', db)}")
    _announce(1)
    put(_picture(run))
    _announce(2)
    file = folder / "rule.py"
    put(f"{file}: program {run.export(file).candidate.id}")
    subprocess.run([sys.executable, str(file)], check=True)
    _announce(3)
    number = import_run(db, demo())
    rows = (
        (command(f"watch {number}", db), "the recorded run on a screen; ? the keys, q leaves"),
        (command(f"show {number}", db), "the same as text"),
        ("preceptor run jssp", "a search of your own, about a minute"),
        ("preceptor help", "the pages of the manual"),
    )
    put("\n".join(f"{line}\n    {about}" for line, about in rows))


def _make(folder: Path) -> None:
    from problems.errors import UserError

    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = any(folder.iterdir())
    except OSError as error:
        raise UserError(f"{folder} cannot be used: {error.strerror}") from None
    if taken:
        raise UserError(f"{folder} is not empty; name another: preceptor tour DIR")


def _announce(step: int) -> None:
    """Say what comes next, and wait for Enter where somebody can press it."""
    say(f"\n{textwrap.fill(f'{step + 1} of {len(STEPS)}: {STEPS[step]}', WIDTH)}\n")
    if is_terminal(sys.stdin, sys.stderr):
        typer.prompt("Enter goes on", default="", show_default=False, prompt_suffix=" ", err=True)


def _replay(db: Path) -> int:
    """The run, line by line; returns its exit code."""
    from engine.api.resolve import RunRequest
    from engine.api.run import start_run
    from tui.commands.narrate import start
    from tui.text.manual import demo

    request = RunRequest(
        "jssp", "ours", writer=f"replay:{demo()}", design="design-64", options=SHORT
    )

    def begin(ready: Callable[[Run], None]) -> Run:
        return start_run(request, db, ready)

    return start(begin, db, as_json=False, headless=True)


def _picture(run: Run) -> str:
    """The best program's most telling disagreement, drawn."""
    from engine.api.measure.decision import draw_decision
    from engine.monitor import Reader
    from tui.text.pages.measures import format_case

    best = run.best
    told = best.diagnostics.cases if best and best.diagnostics else ()
    case = next((case for case in told if case.chosen != case.preferred), None)
    if best is None or case is None:
        return "the teacher agrees with the best program wherever it was asked"
    with Reader(run.store) as reader:
        drawn = draw_decision(reader, run.number, best.id, case)
    parts = (
        f"{best.id}: {format_case(case)}",
        f"after the program's choice\n{drawn.chosen}",
        f"after the teacher's choice\n{drawn.preferred}",
    )
    return "\n\n".join(parts)
