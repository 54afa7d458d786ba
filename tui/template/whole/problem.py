"""Weighted tardiness: jobs wait for one machine, and what is finished late costs.

A program gets a whole instance and returns a whole solution; `evaluate` checks it and says what
it costs. Replace the contract, the seeds and `evaluate` with your own; `test_problem.py` tells
whether everything still fits together.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from preceptor import Argument, Contract, InstanceSet, InvalidAction, Rule, WholeFunction

from .data import SETS, Instance, load_set

if TYPE_CHECKING:
    from collections.abc import Sequence

CONTRACT = Contract(
    task="Jobs are done one after another on one machine. A job that is finished after its due "
    "time costs its weight for each unit of time that it is late. Find a good order.",
    function="solve",
    arguments=(
        Argument("durations", "tuple of int: the time that each job takes", unit="time"),
        Argument("weights", "tuple of int: the weight of each job", unit="weight"),
        Argument("dues", "tuple of int: the due time of each job", unit="time"),
    ),
    answer="solution",
    result="a list of the numbers of the jobs, from 0, each once, in the order they are done",
    objective="minimise the sum of weight times lateness",
)
SEEDS = (
    Rule(
        "earliest-due",
        "Do the jobs in the order of their due times.",
        code="def solve(durations, weights, dues):\n"
        "    return sorted(range(len(dues)), key=lambda job: dues[job])\n",
    ),
    Rule(
        "weighted-shortest",
        "Do the jobs first that weigh most for the time that they take.",
        code="def solve(durations, weights, dues):\n"
        "    return sorted(range(len(dues)), key=lambda job: -weights[job] / durations[job])\n",
    ),
)


@dataclass(frozen=True, slots=True)
class Problem(WholeFunction):
    """A solution is an order of the jobs."""

    name: str = Path(__file__).parent.name
    contract: Contract = CONTRACT
    design: str = "design"
    selection: str = "selection"  # may be left out: then the best on the design set wins

    def sets(self) -> tuple[InstanceSet, ...]:
        """All instance sets."""
        return SETS

    def load(self, name: str) -> tuple[Instance, ...]:
        """The instances of a set. Raises UnknownName."""
        return load_set(name)

    def seeds(self) -> tuple[Rule, ...]:
        """The programs that every search starts from: plain ones, so that there is room."""
        return SEEDS

    def rules(self) -> tuple[Rule, ...]:
        """What `preceptor bench` compares with."""
        return SEEDS

    def arguments(self, instance: Instance) -> tuple[Any, ...]:
        """What a program is called with: values that it cannot change."""
        return instance.durations, instance.weights, instance.dues

    def evaluate(self, instance: Instance, solution: Sequence[int]) -> float:
        """Weighted lateness of an order. Raises InvalidAction for what is no order of the jobs."""
        if sorted(solution) != list(range(len(instance.dues))):
            raise InvalidAction(f"not an order of the jobs 0 to {len(instance.dues) - 1}")
        finish = 0
        cost = 0
        for job in solution:
            finish += instance.durations[job]
            cost += instance.weights[job] * max(0, finish - instance.dues[job])
        return float(cost)

    def objective(self, cost: float) -> float:
        """The cost in the natural sense; of something to be maximised this would be -cost."""
        return cost


def build() -> Problem:
    """The problem; options of your own become arguments (`--option NAME.key=value`)."""
    return Problem()
