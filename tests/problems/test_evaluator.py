"""Problems out of a plain `evaluate(solution)`: what travels, is optimised, is refused."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from problems.base import Rule
from problems.errors import InvalidAction
from problems.evaluator import DataInstance, EvaluatorProblem

SEED = Rule("seed", "Zero.", code="def solve(seed):\n    return [0.0]\n")
PLAIN = (
    st.none()
    | st.booleans()
    | st.integers(-(1 << 80), 1 << 80)
    | st.text(max_size=8)
    | st.floats()
)
KEYS = st.integers() | st.text(max_size=4)
VALUES = st.recursive(
    PLAIN,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=3)
    ),
    max_leaves=12,
)


def make(evaluate: Any, **more: Any) -> EvaluatorProblem:
    """A problem of a function that evaluates."""
    module = SimpleNamespace(evaluate=evaluate, **more.pop("module", {}))
    return EvaluatorProblem("own", module, "Find a low number.", (SEED,), **more)


def cost_of(said: Any, **more: Any) -> float:
    """The cost where the evaluator says this of any solution."""
    problem = make(lambda _: said, **more)
    return problem.evaluate(DataInstance("0"), problem.encode([1.5]))


@settings(deadline=None, max_examples=80)
@given(VALUES)
def test_every_solution_of_plain_values_comes_back_as_it_was(value: Any) -> None:
    problem = make(lambda _: 0)
    assert repr(problem.decode(problem.encode(value))) == repr(value)


@settings(deadline=None, max_examples=120)
@given(VALUES, st.sampled_from([None, True, False]))
def test_whatever_an_evaluator_says_is_a_finite_cost_or_a_refusal(
    said: Any, maximize: bool | None
) -> None:
    try:
        assert math.isfinite(cost_of(said, maximize=maximize))
    except InvalidAction as refusal:
        assert str(refusal)


@settings(deadline=None, max_examples=80)
@given(st.lists(st.integers(-(1 << 31), (1 << 31) - 1), max_size=12))
def test_numbers_of_any_kind_are_a_solution_or_refused(numbers: list[int]) -> None:
    try:
        make(lambda _: 0).decode(numbers)
    except InvalidAction as refusal:
        assert str(refusal) == "these numbers stand for no solution"


def test_arrays_travel_as_lists() -> None:
    problem = make(lambda _: 0)
    assert problem.decode(problem.encode(numpy.array([[0.1, 2.0]]))) == [[0.1, 2.0]]


@pytest.mark.parametrize(
    ("said", "more", "cost"),
    [
        (3, {}, 3.0),
        (3, {"maximize": True}, -3.0),
        ({"cost": 2.5, "score": 9}, {}, 2.5),
        ({"score": 9}, {"metric": "score"}, -9.0),
        ({"score": 9}, {"metric": "score", "maximize": False}, 9.0),
        ({"error": 4}, {"metric": "error", "maximize": False}, 4.0),
    ],
)
def test_the_number_that_is_optimised(said: Any, more: dict[str, Any], cost: float) -> None:
    assert cost_of(said, **more) == cost


def test_what_an_evaluator_raises_and_says_is_why_a_solution_is_none() -> None:
    with pytest.raises(InvalidAction, match="ValueError: circles 0 and 1 overlap"):
        make(lambda _: _raise(ValueError("circles 0 and 1 overlap"))).evaluate(
            DataInstance("0"), make(len).encode([])
        )
    with pytest.raises(InvalidAction, match="says nan, no finite number: all overlap"):
        cost_of({"cost": math.nan, "feedback": "all overlap"})
    with pytest.raises(InvalidAction, match=r"gives no cost, but length$"):
        cost_of({"length": 3})
    with pytest.raises(InvalidAction, match="over 50 levels"):
        nested: list[Any] = []
        nested.append(nested)
        make(len).encode(nested)
    with pytest.raises(InvalidAction, match="of type object"):
        make(len).encode([object()])


def test_an_evaluator_with_instances_is_called_with_each() -> None:
    module = {"INSTANCES": [[1, 2], [3, 4]]}
    problem = make(lambda solution, instance: sum(instance) - solution, module=module)
    cases = problem.load("design")
    assert [problem.arguments(case) for case in cases] == [((1, 2), 0), ((3, 4), 1)]
    assert [problem.evaluate(case, problem.encode(1)) for case in cases] == [2.0, 6.0]
    assert problem.contract.signature() == "solve(instance, seed)"


def test_metrics_and_feedback_are_drawn_beside_the_solution() -> None:
    problem = make(lambda _: {"score": 2, "feedback": "two are small"})
    drawn = problem.draw_solution(DataInstance("0"), problem.encode([0.25]))
    assert drawn == "score: 2\nfeedback: two are small\n[0.25]"
    long = make(lambda _: {"feedback": "too long " * 300})
    lines = long.draw_solution(DataInstance("0"), long.encode([0.25])).splitlines()
    assert len(lines) == 24
    assert 71 < max(map(len, lines)) <= 80


def _raise(error: Exception) -> None:
    raise error
