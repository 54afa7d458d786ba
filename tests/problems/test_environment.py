"""Environments that are reset and stepped, as problems: the contract suite, and threads."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.evaluate.pool import Evaluator, Limits
from problems import ProblemRef
from problems.base import Problem, Rule, rollout
from problems.conformance import CHECKS
from problems.environment import EnvironmentProblem
from problems.errors import InvalidAction
from tests.conftest import ROOT

LEFT, RIGHT, TAKE = range(3)


class Corridor:
    """Prizes lie in a corridor, some steps long; what is not there cannot be taken."""

    def reset(self, *, seed: int | None = None) -> tuple[list[int], dict[str, Any]]:
        """Prizes are drawn."""
        rng = random.Random(seed)
        self.prizes = [rng.randint(0, 9) for _ in range(7)]
        self.place = 3
        self.left = 12
        return self._see(), {}

    def step(self, action: int) -> tuple[list[int], float, bool, bool, dict[str, Any]]:
        """Go or take."""
        won = 0.0
        if action == TAKE:
            won = float(self.prizes[self.place])
            self.prizes[self.place] = 0
        else:
            self.place += 1 if action == RIGHT else -1
        self.left -= 1
        return self._see(), won, not any(self.prizes), self.left == 0, {}

    def actions(self) -> list[int]:
        """What can be done here."""
        go = [LEFT] * (self.place > 0) + [RIGHT] * (self.place < 6)
        return go + [TAKE] * (self.prizes[self.place] > 0)

    def _see(self) -> list[int]:
        self.seen = [self.place, *self.prizes]
        return self.seen


SEEDS = (
    Rule(
        "last", "Take what is here.", "def choose(observation, actions):\n    return actions[-1]\n"
    ),
    Rule("first", "Go left.", "def choose(observation, actions):\n    return actions[0]\n"),
)


def corridor() -> EnvironmentProblem:
    """Eight episodes a set."""
    return EnvironmentProblem(
        "corridor",
        Corridor,
        "Collect prizes.",
        "list of int: the place, then the prizes",
        SEEDS,
        {"design": range(8), "selection": range(10, 18), "held-out": range(20, 28)},
    )


def take_or_go_right(observation: Any, actions: tuple[int, ...]) -> int:
    observation.clear()  # its own copy
    return actions[-1]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_an_environment_keeps_the_contract(check: Callable[[Problem], None]) -> None:
    check(corridor())


def test_the_objective_is_the_sum_of_the_rewards() -> None:
    problem = corridor()
    episode = problem.load("design")[0]
    prizes = problem.start(episode).observation[1:]
    solved = rollout(problem, take_or_go_right, episode)
    assert len(solved.actions) == 12
    assert problem.objective(solved.cost) == sum(prizes[3:])
    assert problem.replay(episode, solved.actions) == solved.cost


def test_states_are_gone_on_from_in_any_order_and_by_any_thread() -> None:
    problem = corridor()
    first, second = (problem.start(episode) for episode in problem.load("design")[:2])
    later = problem.step(problem.step(first, LEFT), LEFT)
    assert problem.step(second, RIGHT).observation[0] == 4
    assert problem.step(first, RIGHT).observation[0] == 4
    assert problem.step(later, LEFT).observation[0] == 0
    with ThreadPoolExecutor(4) as threads:
        found = threads.map(lambda _: problem.step(later, RIGHT).observation[0], range(20))
        assert set(found) == {2}


@given(answer=st.none() | st.booleans() | st.integers() | st.floats() | st.text())
def test_any_answer_is_an_action_or_refused(answer: Any) -> None:
    problem = corridor()
    state = problem.start(problem.load("design")[0])
    try:
        assert problem.decide(lambda *_: answer, state) in state.actions
    except InvalidAction:
        assert type(answer) is not int or answer not in state.actions


async def test_programs_act_in_the_sandbox(tmp_path: Path) -> None:
    """Episodes that the sandbox walks are walked again outside, to the same rewards."""
    source = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n"
    source += "from tests.problems.test_environment import corridor as build\n"
    (tmp_path / "problem.py").write_text(source, "utf-8")
    async with Evaluator.start(ProblemRef(str(tmp_path)), Limits(), 1) as evaluator:
        found = await evaluator.evaluate(SEEDS[0].code or "", "design")
    assert found.failure is None
    problem = corridor()
    here = [rollout(problem, lambda _, actions: actions[-1], e) for e in problem.load("design")]
    assert found.costs == tuple(one.cost for one in here)
