"""Quality for time: the best program of those that decide quickly.

The CPU seconds are those recorded when a program was evaluated on the design set, on the machine
that did so; they have no part in what a search selects.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.domain.records import PacedProgram
from engine.domain.values import Candidate
from problems.errors import UserError

PACES = (1e-4, 1e-3, 1e-2)
"""Seconds a decision under which a run lists its best program."""

SAFE = 0.5
"""The share of its CPU seconds that a program may use; beyond, a slower machine might end it."""

_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
_WORD = re.compile(r"([0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})\s*(us|ms|s)", re.ASCII)


@dataclass(frozen=True, slots=True)
class BestUnder:
    """The best program of those that take at most `limit` seconds a decision."""

    limit: float
    program: PacedProgram


def best_by_pace(programs: Sequence[PacedProgram], winner: str | None) -> tuple[BestUnder, ...]:
    """The best program under each of `PACES` under which there is one."""
    found = ((limit, best_under(programs, limit, winner)) for limit in PACES)
    return tuple(BestUnder(limit, best) for limit, best in found if best is not None)


def best_under(
    programs: Sequence[PacedProgram], limit: float, winner: str | None = None
) -> PacedProgram | None:
    """The best program that takes at most so many seconds a decision, None without any.

    That is the run's winner where it is as quick, since it was chosen on more instances; else
    the one of lowest cost on the design set, of equals the quickest.
    """
    quick = [program for program in programs if program.pace <= limit]
    return min(quick, key=lambda one: (one.id != winner, one.cost, one.pace, one.id), default=None)


def is_near_limit(candidate: Candidate, limit: float) -> bool:
    """Whether a program took more than half of the `limit` CPU seconds that it may take."""
    return candidate.cpu > SAFE * limit


def read_pace(word: str) -> float:
    """Seconds, from a word such as `1ms`, `0.1 ms`, `500us` or `2s`. Raises UserError."""
    found = _WORD.fullmatch(word.strip().lower())
    if found is None or float(found[1]) == 0:
        raise UserError(f"a time a decision is written like 1ms, 0.1ms or 500us, not {word!r}")
    return float(found[1]) * _UNITS[found[2]]
