"""The winner of a run is chosen on instances that no generation has seen."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

import pytest

from engine.domain.specs.settings import Settings
from engine.domain.values import Candidate, Evaluation, Failure
from engine.search.judging.final_selection import choose_winner
from engine.search.methods.methods import METHODS
from tests.engine.builders import candidate
from tests.engine.search.memory import InMemoryEnvironment, run

SETTINGS = Settings(population=4, children=4, generations=2, selection="choice")
EASY = [100.0 + k % 7 for k in range(30)]


def member(slot: int, ahead: float, noise: float = 1.0, agreement: float = 0.5) -> Candidate:
    """A candidate that costs `ahead` more than the instances, give or take some noise."""
    gaps = [ahead + noise * ((k * (slot + 1)) % 5 - 2) for k in range(30)]
    costs = tuple(easy + gap for easy, gap in zip(EASY, gaps, strict=True))
    return replace(candidate(slot, sum(costs) / 30, agreement), costs=costs)


@dataclass
class Measured(InMemoryEnvironment):
    """Costs on the selection set are given by the test."""

    reached: tuple[float | None, ...] = ()

    async def measure(self, candidate: Candidate) -> Evaluation:
        """By slot."""
        cost = self.reached[candidate.slot]
        failure = Failure("timeout", "slow") if cost is None else None
        return Evaluation(cost, (cost,) * 8, (), failure, 0.1)


def chosen(
    *reached: float | None, method: str = "eoh", settings: Settings = SETTINGS
) -> tuple[str, tuple[tuple[str, ...], str] | None]:
    """The winner among four, of which the last is far behind, and what was recorded."""
    environment = Measured(METHODS[method], settings, reached=reached)
    ahead = ((0.0, 0.5), (0.1, 0.6), (0.2, 0.4), (9.0, 0.9))
    members = [
        member(slot, gap, agreement=agreement) for slot, (gap, agreement) in enumerate(ahead)
    ]
    winner = asyncio.run(choose_winner(environment, members))
    return winner.id, environment.chosen


def test_the_best_there_of_those_near_the_best_here_is_returned() -> None:
    winner, recorded = chosen(5.0, 4.0, 4.5, 1.0)
    assert winner == "p0001"
    assert recorded == (("p0000", "p0001", "p0002"), "p0001")


def test_a_tie_goes_to_the_better_one_on_the_design_set() -> None:
    assert chosen(5.0, 4.0, 4.0, 1.0)[0] == "p0001"


def test_who_fails_there_cannot_win_unless_all_do() -> None:
    assert chosen(5.0, None, 6.0, 1.0)[0] == "p0000"
    assert chosen(None, None, None, 1.0)[0] == "p0000"


def test_without_a_selection_set_the_best_on_the_design_set_is_returned() -> None:
    without = replace(SETTINGS, selection="")
    assert chosen(5.0, 4.0, 4.5, 1.0, settings=without) == ("p0000", None)


def test_a_method_that_returns_something_else_keeps_its_winner_and_measures_it() -> None:
    winner, recorded = chosen(5.0, 4.0, 4.5, 6.0, method="max-align")
    assert (winner, recorded) == ("p0003", (("p0003",), "p0003"))


@pytest.mark.parametrize("method", METHODS)
def test_every_method_ends_with_a_choice(method: str) -> None:
    calls = replace(SETTINGS, children=5)
    environment = InMemoryEnvironment(METHODS[method], calls)
    outcome = run(environment)
    assert outcome.best is not None
    assert environment.chosen is not None
    assert environment.chosen[1] == outcome.best.id
    assert outcome.best in outcome.state.population
