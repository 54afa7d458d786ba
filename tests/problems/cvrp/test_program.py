"""Programs on whole instances: the fast rollout is the plain one, seeds are what they say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.evaluate.gate.inspect import Inspection, inspect
from engine.llm.builtin.programs import parse_program
from problems.base import rollout
from problems.cvrp.instances import Instance
from problems.cvrp.problem import Cvrp, build
from problems.errors import UserError
from tests.problems.fleets import fleet, fleets
from tests.problems.programs import compiled

PROBLEM = Cvrp()
SEEDS = {seed.name: seed for seed in PROBLEM.seeds()}
LINE = fleet(10, (0, 0, 0), (1, 0, 1), (3, 0, 2), (4, 0, 6), (6, 0, 8))


each_seed = pytest.mark.parametrize("seed", PROBLEM.seeds(), ids=lambda seed: seed.name)


def taken(seed: str, instance: Instance) -> list[int]:
    """The actions of a seed."""
    return PROBLEM.rollout(compiled(SEEDS[seed].code or ""), instance, None)


@each_seed
@settings(max_examples=15, derandomize=True)
@given(instance=fleets())
def test_the_fast_rollout_takes_the_actions_of_the_plain_one(
    seed: Any, instance: Instance
) -> None:
    function = compiled(seed.code)
    plain = rollout(PROBLEM, function, instance)
    assert PROBLEM.rollout(function, instance, None) == list(plain.actions)
    assert PROBLEM.replay(instance, plain.actions) == plain.cost


@settings(max_examples=60, derandomize=True)
@given(instance=fleets(), pick=st.integers(0, 5), patience=st.integers(1, 3))
def test_the_fast_rollout_shows_what_the_plain_one_shows(
    instance: Instance, pick: int, patience: int
) -> None:
    def watch(calls: list[Any]) -> Callable[..., Any]:
        def program(current: int, depot: int, unvisited: Any, *more: Any) -> Any:
            calls.append((current, depot, *map(plainly, (unvisited, *more))))
            returns = current != depot and len(calls) % (patience + 1) == 0
            return depot if returns else unvisited[pick % len(unvisited)]

        return program

    plain: list[Any] = []
    fast: list[Any] = []
    rollout(PROBLEM, watch(plain), instance)
    PROBLEM.rollout(watch(fast), instance, None)
    assert fast == plain


def plainly(value: Any) -> object:
    """An argument with its kind, so that it can be compared."""
    is_array = isinstance(value, np.ndarray)
    return (value.dtype, value.tolist()) if is_array else (type(value), value)


@each_seed
def test_the_gate_lets_every_seed_pass(seed: Any) -> None:
    assert isinstance(inspect(seed.code, PROBLEM.contract), Inspection)
    assert seed.idea.endswith(".") and "\n" not in seed.idea
    assert '"""' not in seed.code


@each_seed
def test_the_default_writer_finds_the_score_of_every_seed(seed: Any) -> None:
    draft = parse_program(seed.code, PROBLEM.contract)
    assert draft is not None and not draft.looks_ahead


def test_nearest_neighbour_goes_to_the_closest_customer_that_fits() -> None:
    assert taken("nearest-neighbour", LINE) == [1, 2, 3, 4]
    assert taken("nearest-neighbour", fleet(9, (0, 0, 0), (1, 0, 5), (2, 0, 5), (5, 0, 4))) == [
        *(1, 3, 2)
    ]


def test_no_detour_returns_when_the_depot_is_closer_to_the_next_customer() -> None:
    far_apart = fleet(9, (0, 0, 0), (5, 0, 1), (-1, 0, 1))
    assert taken("no-detour", far_apart) == [2, 0, 1]
    assert taken("nearest-neighbour", far_apart) == [2, 1]


def test_a_low_tank_returns_when_the_depot_is_closer() -> None:
    instance = fleet(9, (0, 0, 0), (1, 0, 7), (-3, 0, 2), (9, 9, 6))
    assert taken("low-tank", instance) == [1, 0, 2, 0, 3]
    assert taken("nearest-neighbour", instance) == [1, 2, 3]


def test_rounded_distances_are_whole_numbers_in_the_contract_too() -> None:
    assert "rounded to the nearest integer" in build(nint="true").contract.text()
    assert "rounded" not in PROBLEM.contract.text()


def test_sets_tell_when_costs_are_of_rounded_distances() -> None:
    plain, rounded = PROBLEM.sets(), build(nint="true").sets()
    assert [one.about for one in rounded] == [
        f"{one.about}; costs of rounded distances" for one in plain
    ]


@pytest.mark.parametrize(
    ("option", "word", "complaint"),
    [
        ("nint", "yes", "nint must be 'true' or 'false', not 'yes'"),
        ("depot", "corner", "depot must be 'centre' or 'random', not 'corner'"),
        ("capacity", "8", "capacity must be a whole number of at least 9, not '8'"),
        ("capacity", "-50", "capacity must be a whole number of at least 9, not '-50'"),
        ("capacity", "4.5", "capacity must be a whole number of at least 9"),
        ("kind", "plan", "kind must be 'rule' or 'whole', not 'plan'"),
    ],
)
def test_a_wrong_option_names_what_is_right(option: str, word: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        build(**{option: word})
