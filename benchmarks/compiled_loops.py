"""CPU seconds of nested loops over numbers on large sets, plain and compiled (run as a script)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import problems
from engine.evaluate.compiled.compile import try_compiled, warm_up
from problems import ProblemRef
from problems.shared.seeds import as_rule
from tests.contracts.loops import aged_gain, remote_first, seed_and_neighbours

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CASES = (
    ("tsp", remote_first, "tsp200", 64, 1.0),
    ("cvrp", seed_and_neighbours, "cvrp200", 64, 1.0),
    ("maxcut", aged_gain, "ba800w", 10, 15.0),
)
"""Problem, program, set, number of instances, target in seconds."""

FEW_FLIPS = 8
ALL_FLIPS = 1600
"""Of a walk on 800 vertices: Python takes minutes for all."""


def seconds(step: Callable[[], object]) -> float:
    """CPU seconds of a step."""
    started = time.process_time()
    step()
    return time.process_time() - started


def plain_seconds(problem: Any, function: Callable[..., Any], name: str) -> float:
    """CPU seconds of Python on the first instance of a set; a long walk is scaled up."""
    first = problem.load(name)[0]
    share = 1.0
    if problem.name == "maxcut":
        problem = problems.load(ProblemRef("maxcut", (("steps", str(FEW_FLIPS)),)))
        share = FEW_FLIPS / ALL_FLIPS
    return seconds(lambda: problem.rollout(function, first, None)) / share


def compiled_seconds(problem: Any, code: str, function: Any, name: str, size: int) -> float:
    """CPU seconds of a set with everything that a child does: pilots, compilation, walks."""

    def plain(instance: Any, forced: Sequence[int]) -> list[int]:
        taken: list[int] = problem.rollout(function, instance, None, forced)
        return taken

    def solve_all() -> None:
        pilots = problem.load(problem.example)
        solve = try_compiled(problem, code, problem.contract.function, plain, pilots, None)
        assert solve is not plain
        for instance in problem.load(name)[:size]:
            solve(instance, ())

    return seconds(solve_all)


def main() -> None:
    """Print one line a set."""
    print(f"numba loaded and warm: {seconds(warm_up):.2f} s, once for all programs")
    for ref, program, name, size, target in CASES:
        problem = problems.load(ref)
        code = "import math\n" + (as_rule(program, problem.contract.function).code or "")
        plain = plain_seconds(problem, program, name) * size
        compiled = compiled_seconds(problem, code, program, name, size)
        print(
            f"{name:8} x {size}  {program.__name__:20} plain {plain:7.1f} s   "
            f"compiled {compiled:5.2f} s   target {target:4.1f} s"
        )


if __name__ == "__main__":
    main()
