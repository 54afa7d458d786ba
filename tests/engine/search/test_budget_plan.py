"""What is planned before a search is what the search then does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.specs.settings import Settings
from engine.search.budget_plan import (
    calls_left,
    generation_calls,
    generation_children,
    next_children,
    planned_calls,
    planned_generations,
    reflection_calls,
    share_out,
)
from engine.search.methods.methods import METHODS, OURS, REEVO
from engine.search.methods.types import Method, Reflection, Step
from tests.engine.search.memory import InMemoryEnvironment, healthy, run

BUDGETS = {
    "calls": Settings(calls=11),
    "children": Settings(total_children=9),
    "generations": Settings(generations=2),
    "first programs and calls": Settings(calls=11, population=4, start="contract"),
    "first programs alone": Settings(calls=4, population=4, start="contract"),
    "some first programs": Settings(calls=3, population=4, start="contract"),
    "first programs": Settings(generations=2, start="contract"),
}


@pytest.mark.parametrize("settings", BUDGETS.values(), ids=BUDGETS.keys())
@pytest.mark.parametrize("method", [METHODS["eoh"], OURS, REEVO], ids=lambda m: m.name)
def test_a_search_without_repairs_goes_as_planned(method: Method, settings: Settings) -> None:
    environment = InMemoryEnvironment(method, settings, answer=healthy)
    run(environment)
    assert max(c.generation for c in environment.recorded) == planned_generations(method, settings)
    if not settings.total_children:
        assert environment.calls_made() == planned_calls(method, settings)


@pytest.mark.parametrize(
    ("method", "children", "calls"), [(METHODS["eoh"], 5, 5), (OURS, 5, 6), (REEVO, 5, 9)]
)
def test_a_full_generation_is_its_children_and_its_reflections(
    method: Method, children: int, calls: int
) -> None:
    assert generation_children(method, Settings()) == children
    assert generation_calls(method, Settings()) == calls
    assert next_children(method, Settings(), 0, None) == children


@given(
    st.sampled_from(["none", "analyzer", "short-term", "long-term"]),
    st.integers(0, 20),
    st.integers(1, 9),
)
def test_a_step_spends_what_is_left_and_no_more(
    reflection: Reflection, left: int, children: int
) -> None:
    step = Step(("e1",), reflection, children)
    share = share_out(step, Settings(), 0, left)
    spent = share.children + reflection_calls(step, share.reflected)
    assert spent <= left and share.children <= children
    assert spent == left or share.children == children


def test_the_lowest_limit_counts() -> None:
    assert calls_left(3, None, 10, 5) == 2
    assert calls_left(7, 5) == 0
    assert calls_left(7, None, None) is None
