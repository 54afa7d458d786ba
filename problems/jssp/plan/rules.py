"""The seeds of a search under `state=plan` and the rules of benchmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from problems.jssp.plan import programs
from problems.shared.seeds import as_rule

if TYPE_CHECKING:
    from collections.abc import Callable

    from problems.base import Rule

PARAMETERS = (
    "candidates, durations, machines, work_left, op_count, next_op, job_ready, machine_ready, "
    "next_start, gap_count, gap_start, gap_end"
)
"""Those of the contract; the functions of `programs` name the ones that they read."""


def _rule(function: Callable[..., int], *helpers: Callable[..., int]) -> Rule:
    return as_rule(function, "choose", *helpers, parameters=PARAMETERS)


SEEDS = (
    _rule(programs.fdd_mwkr),
    _rule(programs.mwkr),
    _rule(programs.mor),
    _rule(programs.spt),
    _rule(programs.est),
    _rule(programs.ect),
    _rule(programs.fcfs),
    _rule(programs.spt_twkr),
    _rule(programs.shortest_completion, programs.find_start, programs.complete),
)
RULES = (
    *SEEDS,
    _rule(programs.fdd),
    _rule(programs.lpt),
    _rule(programs.lwkr),
    _rule(programs.lor),
)
