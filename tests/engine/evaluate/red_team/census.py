"""What becomes of every program of the red team and every ordinary one, as a table.

    python -m tests.engine.evaluate.red_team.census [WORD ...]

For each program (whose kind holds one of the words): whether the gate lets it pass, what the
sandbox makes of it without the gate, and whether two processes get the same answers from it.
"""

from __future__ import annotations

import asyncio
import sys
import time
from typing import TYPE_CHECKING

from engine.domain.values import Failure
from engine.evaluate.gate.inspect import inspect
from engine.evaluate.pool import Evaluator, Limits
from problems import ProblemRef, load
from tests.engine.evaluate.red_team import PROGRAMS
from tests.engine.evaluate.red_team.asking import DECISIONS, SMALL, ask_everybody
from tests.engine.evaluate.red_team.ordinary import ORDINARY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.engine.evaluate.red_team.trick import Trick

LIMITS = Limits(cpu_seconds=1, memory_mb=256)
SEEDS = 1, 2
LATE = 1.0
"""Seconds from which on the gate is slow enough to be told."""


def gate(one: Trick) -> str:
    """The gate's verdict, and its time where that is long."""
    contract = load(ProblemRef(SMALL[one.contract][0])).contract
    started = time.perf_counter()
    found = inspect(one.code, contract)
    seconds = time.perf_counter() - started
    late = f" after {seconds:.0f} s" if seconds >= LATE else ""
    if isinstance(found, Failure):
        return f"{found.kind}{late}: {found.message}"
    return f"passes{late}"


async def run_alone(programs: Sequence[Trick]) -> list[str]:
    """What the sandbox makes of each without the gate."""
    said = {}
    for contract in sorted({one.contract for one in programs}):
        name, small = SMALL[contract]
        async with Evaluator.start(ProblemRef(name), LIMITS, workers=1) as evaluator:
            for one in programs:
                if one.contract == contract:
                    done = await evaluator._run(one.code, small)
                    failure = done.failure
                    said[one] = (
                        f"{failure.kind}: {failure.message}"
                        if failure
                        else f"harmless, cost {done.cost:g}"
                    )
    return [said[one] for one in programs]


def answers(programs: Sequence[Trick]) -> list[str]:
    """Whether processes of different seeds agree on each."""
    asked = [(one.contract, one.code) for one in programs]
    first, second = (ask_everybody(asked, seed) for seed in SEEDS)
    return [
        "fails" if len(one) != DECISIONS or "" in one else "same" if one == two else "DIFFERS"
        for one, two in zip(first, second, strict=True)
    ]


def main() -> None:
    """Print the table, one program a line."""
    wanted = sys.argv[1:]
    programs = [
        one
        for one in (*PROGRAMS, *ORDINARY)
        if not wanted or any(word in one.kind for word in wanted)
    ]
    columns = asyncio.run(run_alone(programs)), answers(programs)
    for one, alone, same in zip(programs, *columns, strict=True):
        known = "known" if one.known else "-"
        line = [one.kind, one.name, one.contract, known, one.expected, gate(one), alone, same]
        print("\t".join(repr(word)[1:-1][:160] for word in line), flush=True)


if __name__ == "__main__":
    main()
