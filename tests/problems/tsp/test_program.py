"""Programs on whole instances: the fast rollout is the plain one, seeds are what they say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.evaluate.gate.inspect import Inspection, inspect
from problems.base import rollout
from problems.errors import InvalidAction, UserError
from problems.tsp.instances import Instance, build_matrix
from problems.tsp.problem import Tsp, build
from problems.tsp.walk import choose_sort
from tests.problems.programs import compiled
from tests.problems.tours import plane, planes

PROBLEM = Tsp()
SEEDS = PROBLEM.seeds()
STAR = plane((0, 0), (0, 1), (2, 0), (0, -3), (-4, 0), (1, 1))


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.name)
@settings(max_examples=15, derandomize=True)
@given(instance=planes())
def test_the_fast_rollout_takes_the_actions_of_the_plain_one(
    seed: Any, instance: Instance
) -> None:
    function = compiled(seed.code)
    plain = rollout(PROBLEM, function, instance)
    assert PROBLEM.rollout(function, instance, None) == list(plain.actions)
    assert PROBLEM.replay(instance, plain.actions) == plain.cost


@settings(max_examples=60, derandomize=True)
@given(planes(), st.integers(0, 5))
def test_the_fast_rollout_shows_what_the_plain_one_shows(instance: Instance, pick: int) -> None:
    def watch(calls: list[Any]) -> Callable[..., Any]:
        def program(current: int, end: int, unvisited: Any, distances: Any) -> Any:
            calls.append((current, end, unvisited.tolist(), distances.tolist()))
            return unvisited[pick % len(unvisited)]

        return program

    plain: list[Any] = []
    fast: list[Any] = []
    rollout(PROBLEM, watch(plain), instance)
    PROBLEM.rollout(watch(fast), instance, None)
    assert fast == plain


def test_equal_distances_from_a_node_need_the_stable_sort() -> None:
    assert choose_sort(build_matrix(plane((0, 0), (1, 0), (3, 0)))) == "quicksort"
    assert choose_sort(build_matrix(plane((0, 0), (1, 0), (2, 0)))) == "stable"
    far = [(x, x**3) for x in range(80)]
    assert choose_sort(build_matrix(plane(*far))) == "quicksort"
    assert choose_sort(build_matrix(plane(*far, far[-1]))) == "stable"


@pytest.mark.parametrize("answer", ["0", "1.5", "True", "None", "99", "-1", "unvisited_nodes[:1]"])
def test_a_wrong_answer_fails_the_fast_rollout_as_it_fails_the_plain_one(answer: str) -> None:
    function = compiled(
        "def select_next_node(current_node, destination_node, unvisited_nodes, distance_matrix):\n"
        f"    return {answer} if len(unvisited_nodes) == 3 else unvisited_nodes[0]\n"
    )
    messages = []
    for walk in (rollout, lambda problem, f, i: problem.rollout(f, i, None)):
        with pytest.raises(InvalidAction, match="step 2: ") as caught:
            walk(PROBLEM, function, STAR)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.name)
def test_the_gate_lets_every_seed_pass(seed: Any) -> None:
    assert isinstance(inspect(seed.code, PROBLEM.contract), Inspection)
    assert seed.idea.endswith(".") and "\n" not in seed.idea
    assert '"""' not in seed.code


def test_nearest_neighbour_goes_to_the_closest_node() -> None:
    taken = PROBLEM.rollout(compiled(SEEDS[0].code or ""), STAR, None)
    assert taken == [1, 5, 2, 3]


def test_rounded_distances_are_whole_numbers_in_the_contract_too() -> None:
    rounded = build(nint="true")
    assert "rounded to the nearest integer" in rounded.contract.text()
    assert "rounded" not in PROBLEM.contract.text()
    with pytest.raises(UserError, match="'true' or 'false', not 'yes'"):
        build(nint="yes")
