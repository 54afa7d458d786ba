"""A schedule as a small text picture."""

from __future__ import annotations

from string import ascii_letters, digits
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from problems.jssp.state import Placed, State

SIGNS = digits + ascii_letters
WIDTH = 72
HEIGHT = 21
IDLE = "·"


def gantt(state: State, end: int | None = None) -> str:
    """One line a machine, one sign a job (0-9, a-z, A-Z, then again), at most 80 x 24.

    The lines reach up to the time `end`, up to the makespan without one.
    """
    total = sum(map(len, state.instance.durations))
    head = f"step {state.step} of {total}   makespan {state.makespan}"
    scale = max(1, state.makespan if end is None else end) / WIDTH
    rows = [f"m{k:<4} {_row(line, scale)}" for k, line in enumerate(state.machines[:HEIGHT])]
    hidden = len(state.machines) - HEIGHT
    more = [f"and {hidden} machines more"] if hidden > 0 else []
    return "\n".join([head, *rows, *more])


def _row(line: tuple[Placed, ...], scale: float) -> str:
    """Each column shows the job at the middle of its span of time."""
    row = [IDLE] * WIDTH
    for placed in line:
        for column in range(WIDTH):
            if placed.start <= (column + 0.5) * scale < placed.end:
                row[column] = SIGNS[placed.job % len(SIGNS)]
    return "".join(row)
