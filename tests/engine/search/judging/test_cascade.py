"""A child stops early where it surely would not survive, and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.domain.search_state import SearchState
from engine.domain.specs.settings import Settings
from engine.domain.values import Candidate, Evaluation
from engine.search.judging.cascade import count_first, judge, set_checkpoint
from engine.search.methods.methods import METHODS
from tests.engine.builders import candidate
from tests.engine.search.memory import InMemoryEnvironment, run

SETTINGS = Settings(population=3, children=6, generations=6, design="many")
CASCADED = ("eoh", "preceptor")
BAR = tuple(float(100 + k % 5) for k in range(16))


def member(slot: int, costs: tuple[float, ...], generation: int = 0) -> Candidate:
    """A candidate with these costs."""
    made = candidate(slot, sum(costs) / len(costs), generation=generation)
    return replace(made, costs=costs)


def opened(*extra: Candidate, worst: float = 100.0, generation: int = 2) -> SearchState:
    """A full population after a generation; the worst costs that on every instance."""
    costs = [worst - 2.0, worst - 1.0, worst]
    members = tuple(member(k, (cost,) * 64) for k, cost in enumerate(costs))
    return SearchState(generation, (*members, *extra), ())


@pytest.mark.parametrize(
    ("size", "first"), [(256, 64), (128, 32), (64, 16), (40, 16), (32, 16), (31, 0), (8, 0)]
)
def test_a_quarter_comes_first_but_never_too_few_to_tell(size: int, first: int) -> None:
    assert count_first(size) == first


def test_a_child_four_standard_errors_behind_stops_and_says_how_far() -> None:
    noisy = [cost + 3 + (k % 2) for k, cost in enumerate(BAR)]
    failure = judge(noisy, BAR, 64, 4.0)
    assert failure is not None
    assert (failure.kind, failure.repairable, failure.line) == ("behind", False, None)
    assert failure.message == (
        "stopped after 16 of 64 instances: 27.1 standard errors behind the worst survivor"
    )
    assert judge(noisy, BAR, 64, 27.2) is None


def test_a_child_behind_by_the_same_everywhere_stops_too() -> None:
    failure = judge([cost + 1 for cost in BAR], BAR, 64, 4.0)
    assert failure is not None
    assert failure.message.endswith("behind the worst survivor by the same on each")


@pytest.mark.parametrize("costs", [BAR, tuple(cost - 1 for cost in BAR)])
def test_a_child_that_is_as_good_or_better_goes_on(costs: tuple[float, ...]) -> None:
    assert judge(costs, BAR, 64, 4.0) is None


def test_the_bar_is_the_worst_survivor_with_which_the_generation_opened() -> None:
    sibling = member(9, (500.0,) * 64, generation=3)
    environment = InMemoryEnvironment(METHODS["eoh"], SETTINGS)
    for state in (opened(), opened(sibling)):
        checkpoint = set_checkpoint(environment, state)
        assert checkpoint is not None
        assert checkpoint.count == 16
        assert checkpoint.judge([101.0] * 16) is not None
        assert checkpoint.judge([99.5] * 16) is None


@pytest.mark.parametrize("method", METHODS)
def test_methods_that_are_compared_with_ours_judge_every_child_in_full(method: str) -> None:
    environment = InMemoryEnvironment(METHODS[method], SETTINGS)
    found = set_checkpoint(environment, opened())
    assert (found is not None) == (method in CASCADED)


def test_there_is_none_where_it_is_off_or_somebody_could_still_survive() -> None:
    off = replace(SETTINGS, cascade=0.0)
    roomy = replace(SETTINGS, population=4)
    tuned_first = replace(SETTINGS, tune_child_seconds=1.0)
    for settings in (off, roomy, tuned_first):
        environment = InMemoryEnvironment(METHODS["eoh"], settings)
        assert set_checkpoint(environment, opened()) is None
    small = SearchState(2, tuple(member(k, (1.0,) * 8) for k in range(3)), ())
    assert set_checkpoint(InMemoryEnvironment(METHODS["eoh"], SETTINGS), small) is None


def test_a_search_with_the_cascade_ends_in_the_population_of_one_without() -> None:
    ends = []
    for most in (4.0, 0.0):
        environment = InMemoryEnvironment(METHODS["eoh"], replace(SETTINGS, cascade=most))
        ends.append([c.id for c in run(environment).state.population])
        behind = [
            c for c in environment.recorded if c.failure is not None and c.failure.kind == "behind"
        ]
        assert bool(behind) == bool(most)
        for child in behind:
            assert (child.cost, child.behaviour, child.diagnostics) == (None, None, None)
            assert [cost is None for cost in child.costs] == [False] * 16 + [True] * 48
            assert child.decisions == 160
    assert ends[0] == ends[1]


def test_who_is_behind_is_shown_to_no_writer_as_a_mistake() -> None:
    behind = judge([cost + 9 for cost in BAR], BAR, 64, 4.0)
    state = SearchState(1, (), (candidate(3, None, failure=behind, generation=1),))
    assert state.failure_examples() == ()


def test_what_is_known_of_an_evaluation_is_cut_at_the_checkpoint() -> None:
    environment = InMemoryEnvironment(METHODS["eoh"], SETTINGS)
    checkpoint = set_checkpoint(environment, opened())
    assert checkpoint is not None
    whole = Evaluation(101.0, (101.0,) * 64, ((1, 2),) * 64, None, 6.4)
    part = checkpoint.cut(whole)
    assert part is not None
    assert (part.cost, part.costs[15:17], len(part.costs)) == (None, (101.0, None), 64)
    assert (part.actions, part.cpu) == (((1, 2),) * 16, 1.6)
    assert checkpoint.judge_known(part) == checkpoint.judge_known(whole) is not None
    broken = replace(whole, costs=(101.0,) * 15 + (None,) * 49, actions=((1, 2),) * 15)
    assert checkpoint.cut(broken) is checkpoint.cut(None) is None
    assert checkpoint.judge_known(broken) is None
