"""All statements of a problem's rules agree on any instance: one cost, one list of actions.

The plain walk through states, the fast one, the replay, the text in exported files, and, for one
program of each problem, the walk in machine code (`test_programs` has more).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import problems
from engine.evaluate.compiled.compile import compile_rule
from problems import ProblemRef
from problems.base import Problem, Rule, rollout
from tests.contracts.variants import REFS, label
from tests.problems.fleets import fleets
from tests.problems.partitions import graphs
from tests.problems.programs import compiled, solve_alone
from tests.problems.shops import shops
from tests.problems.tours import planes

INSTANCES = {"jssp": shops(), "tsp": planes(), "cvrp": fleets(), "maxcut": graphs()}

MIXTURES = {
    "jssp": "def score(feature, state):\n"
    "    seen = sum(feature) + state.makespan + state.step\n"
    "    machine = state.instance.machines[feature.job_id][feature.op_index]\n"
    "    return (seen * 7919 + machine) % 101\n",
    "maxcut": "def select_flip_node(spins, adjacency, current_cut, best_cut, step, max_steps, "
    "flip_history):\n"
    "    seen = (spins @ adjacency).sum() + 3 * current_cut + 5 * best_cut + step\n"
    "    return int(seen + 7 * max_steps + 11 * sum(flip_history)) % len(spins)\n",
}
"""Programs whose every choice depends on all that they are shown."""

TWICE = ProblemRef("maxcut", (("steps", "6"), ("attempts", "2")))
PROGRAMS = [
    *((ref, rule.name) for ref in REFS for rule in problems.load(ref).seeds()),
    *((ref, "") for ref in (*map(ProblemRef, MIXTURES), TWICE)),
]


@pytest.mark.parametrize(("ref", "name"), PROGRAMS, ids=label)
@given(data=st.data())
@settings(max_examples=8, derandomize=True)
def test_all_walks_take_the_same_actions_to_the_same_cost(
    ref: ProblemRef, name: str, data: st.DataObject
) -> None:
    problem = problems.load(ref)
    instance = data.draw(INSTANCES[problem.name])
    code = MIXTURES[problem.name] if not name else _seed(problem, name).code or ""
    plain = rollout(problem, compiled(code), instance)
    taken, cost = solve_alone(problem, code, instance)
    assert (tuple(map(int, taken)), cost) == (plain.actions, plain.cost)
    assert problem.replay(instance, plain.actions) == plain.cost
    assert Problem.replay(problem, instance, plain.actions) == plain.cost
    forced = plain.actions[:1]
    walked = rollout(problem, compiled(code), instance, forced).actions
    assert tuple(problem.rollout(compiled(code), instance, None, forced)) == walked
    if problem.compiles and name == problem.seeds()[0].name:
        kernel = problem.kernel()
        if kernel.fits(instance):
            function = _compile(ref, code)
            assert tuple(kernel.walk(function, instance, None, forced)) == walked


def _seed(problem: Problem, name: str) -> Rule:
    return next(rule for rule in problem.seeds() if rule.name == name)


@cache
def _compile(ref: ProblemRef, code: str) -> Any:
    """A program in machine code."""
    problem = problems.load(ref)
    return compile_rule(code, problem.contract, problem.kernel())
