"""The loop itself, over an environment in memory: parents, calls, repairs, twins, survivors."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

import problems
from engine.domain.search_state import SearchState
from engine.domain.specs.settings import Settings
from engine.domain.values import Failure, Request
from engine.search.loop import count_idle, look_back, search
from engine.search.methods.methods import EOH, METHODS, OURS
from tests.engine.builders import candidate
from tests.engine.search.memory import InMemoryEnvironment, healthy, run


def fixed(text: str) -> Callable[[Request, int], str | None]:
    """The same reply to every program request."""
    return lambda request, attempt: None if request.role == "analyzer" else text


def test_ours_makes_thirty_calls_six_a_generation() -> None:
    environment = InMemoryEnvironment(OURS, Settings(), answer=healthy)
    assert run(environment).status == "done"
    assert len(environment.asked) == 30
    for generation in range(1, 6):
        calls = [key for key in environment.asked if key[1] == generation]
        assert sorted(calls)[0] == ("analyzer", generation, 0, 0)
        assert len(calls) == 6


def test_operators_cycle_and_fusion_has_two_different_parents() -> None:
    environment = InMemoryEnvironment(OURS, Settings(generations=3), answer=healthy)
    run(environment)
    for generation in (1, 2, 3):
        recipes = [
            environment.asked["program", generation, slot, 0].recipes[0] for slot in range(5)
        ]
        assert [recipe.operator for recipe in recipes] == ["s", "p", "m", "s", "p"]
        assert [len(set(recipe.parents)) for recipe in recipes] == [1, 1, 2, 1, 1]


def test_the_result_is_the_lowest_cost_ever_seen() -> None:
    environment = InMemoryEnvironment(OURS, Settings(), answer=healthy)
    outcome = run(environment)
    costs = [c.cost for c in environment.recorded if c.cost is not None]
    assert outcome.best is not None
    assert outcome.best.cost == min(costs)


def test_the_same_seed_gives_the_same_run_and_another_seed_another() -> None:
    def trace(seed: int) -> tuple[object, ...]:
        environment = InMemoryEnvironment(OURS, Settings(generations=4), seed=seed)
        run(environment)
        return (tuple(environment.closed), tuple(c.program.code for c in environment.recorded))

    assert trace(3) == trace(3)
    assert trace(3) != trace(4)


def test_a_broken_reply_is_repaired_once_with_its_error() -> None:
    def answer(request: Request, attempt: int) -> str | None:
        return "def nonsense(" if request.role == "program" else healthy(request, attempt)

    environment = InMemoryEnvironment(OURS, Settings(generations=1), answer=answer)
    run(environment)
    repairs = {key: r for key, r in environment.asked.items() if key[3] == 1}
    assert len(repairs) == 5
    messages = next(iter(repairs.values())).messages
    assert messages[-2].content == "def nonsense("
    assert "does not compile" in messages[-1].content
    assert all(c.failure is None or c.failure.kind == "duplicate" for c in environment.recorded)


def test_a_second_failure_ends_the_slot() -> None:
    environment = InMemoryEnvironment(OURS, Settings(generations=1), answer=fixed("no program"))
    run(environment)
    children = [c for c in environment.recorded if c.generation == 1]
    assert [c.failure.kind for c in children if c.failure] == ["parse"] * 5
    assert max(key[3] for key in environment.asked) == 1


def test_a_twin_is_named_and_the_older_stays() -> None:
    new = "{Same.}\n```python\ndef score(item, state):\n    return item.weight - item.finish\n```"
    environment = InMemoryEnvironment(OURS, Settings(generations=2), answer=fixed(new))
    run(environment)
    oldest, *twins = (c for c in environment.recorded if c.generation > 0)
    assert oldest.failure is None
    assert {c.failure for c in twins} == {Failure("duplicate", f"the same program as {oldest.id}")}
    assert all(c.cost is None for c in twins)


def test_a_clone_that_only_scales_the_score_is_a_twin() -> None:
    seed = problems.load("tests/toy").seeds()[0]
    assert seed.code is not None
    scaled = seed.code.replace("return ", "return 2 * (", 1).rstrip() + ")"
    environment = InMemoryEnvironment(
        OURS, Settings(generations=1), answer=fixed(f"{{Twice.}}\n{scaled}")
    )
    run(environment)
    first = next(c for c in environment.recorded if c.generation == 1)
    assert first.failure == Failure("duplicate", "takes the same actions as p0000 everywhere")


def test_an_empty_slot_never_stops_the_generation() -> None:
    environment = InMemoryEnvironment(OURS, Settings(generations=2), answer=fixed("nothing"))
    outcome = run(environment)
    assert outcome.status == "done"
    assert outcome.best is not None and outcome.best.operator == "seed"


def test_a_call_cap_opens_the_last_generation_partly() -> None:
    environment = InMemoryEnvironment(OURS, Settings(), calls=9, answer=healthy)
    assert run(environment).status == "budget"
    assert len(environment.asked) == 9
    last = sorted(key for key in environment.asked if key[1] == 2)
    assert last == [("analyzer", 2, 0, 0), ("program", 2, 0, 0), ("program", 2, 1, 0)]


@pytest.mark.parametrize("calls", [1, 6, 7, 8, 13, 30])
def test_a_run_set_to_a_number_of_calls_makes_exactly_those_and_is_done(calls: int) -> None:
    environment = InMemoryEnvironment(OURS, Settings(calls=calls, generations=1))
    assert run(environment).status == "done"
    assert len(environment.asked) == calls


@pytest.mark.parametrize("total", [1, 5, 7, 25])
def test_a_run_set_to_a_number_of_children_asks_for_exactly_those(total: int) -> None:
    environment = InMemoryEnvironment(OURS, Settings(total_children=total, generations=1))
    assert run(environment).status == "done"
    assert len([c for c in environment.recorded if c.generation > 0]) == total
    assert len({c.id for c in environment.recorded}) == len(environment.recorded)


@pytest.mark.parametrize(("patience", "last"), [(0, 9), (1, 1), (3, 3)])
def test_a_search_without_a_better_program_ends_with_its_patience(
    patience: int, last: int
) -> None:
    settings = Settings(generations=9, patience=patience)
    environment = InMemoryEnvironment(OURS, settings, answer=fixed("no program"))
    assert run(environment).status == "done"
    assert environment.closed[-1][0] == last
    assert (("patience", None) in environment.noted) == bool(patience)


@pytest.mark.parametrize(("builtin", "last"), [(True, 1), (False, 9)])
def test_the_builtin_writer_ends_a_search_in_which_it_only_repeats_itself(
    builtin: bool, last: int
) -> None:
    environment = InMemoryEnvironment(EOH, Settings(generations=9))
    seed = environment.seeds()[0].code
    environment.answer = fixed(f"{{The same.}}\n```python\n{seed}```")
    environment.is_builtin = builtin
    assert run(environment).status == "done"
    assert environment.closed[-1][0] == last
    assert (("patience", None) in environment.noted) == builtin


def test_patience_begins_anew_with_every_better_program() -> None:
    seen = [candidate(g, cost, generation=g) for g, cost in enumerate((10.0, 8.0, 8.0, 9.0))]
    assert [count_idle(SearchState(g, (), tuple(seen[: g + 1]))) for g in range(4)] == [0, 0, 1, 2]


def test_of_calls_and_children_the_one_reached_first_ends_the_run() -> None:
    by_calls, by_children = (
        InMemoryEnvironment(OURS, Settings(calls=calls, total_children=7), answer=healthy)
        for calls in (8, 20)
    )
    assert run(by_calls).status == run(by_children).status == "done"
    assert (len(by_calls.asked), len(by_children.asked)) == (8, 9)


def test_a_cap_below_the_calls_that_were_set_ends_the_run_as_budget() -> None:
    environment = InMemoryEnvironment(OURS, Settings(calls=20), calls=9)
    assert run(environment).status == "budget"
    assert len(environment.asked) == 9


@pytest.mark.parametrize("cap", range(14))
def test_a_cap_is_never_exceeded_and_what_fits_under_it_is_the_same_run(cap: int) -> None:
    whole, capped = (
        InMemoryEnvironment(OURS, Settings(generations=3), calls=calls) for calls in (None, cap)
    )
    run(whole)
    run(capped)
    assert len(capped.asked) <= cap
    fitting = [g for g in (0, 1, 2, 3) if sum(key[1] <= g for key in whole.asked) <= cap]
    assert capped.closed[: len(fitting)] == whole.closed[: len(fitting)]


def test_an_analyzer_reply_without_a_section_leaves_that_operator_without_a_brief() -> None:
    def answer(request: Request, attempt: int) -> str | None:
        return "## s\nTry less." if request.role == "analyzer" else healthy(request, attempt)

    environment = InMemoryEnvironment(OURS, Settings(generations=1), answer=answer)
    assert run(environment).status == "done"
    texts = [None if brief is None else brief.text for brief in environment.given[0]]
    assert texts == ["Try less.", None, None, "Try less.", None]
    assert ("no-brief", 1) in environment.noted and ("no-brief", 0) not in environment.noted


def test_the_brief_and_the_parents_diagnostics_reach_the_prompt() -> None:
    environment = InMemoryEnvironment(OURS, Settings(generations=1), answer=healthy)
    run(environment)
    prompt = environment.asked["program", 1, 0, 0].messages[0].content
    assert "Look at the weights." in prompt
    assert "## What the teacher says" in prompt
    assert "agreement 0." in prompt and "chance" in prompt and "±" in prompt


def test_failures_of_earlier_children_are_shown_to_later_ones() -> None:
    settings = Settings(generations=2)
    environment = InMemoryEnvironment(METHODS["preceptor"], settings, answer=fixed("no program"))
    run(environment)
    prompt = environment.asked["program", 2, 0, 0].messages[0].content
    assert "parse: the reply contains no function" in prompt


def test_without_the_teacher_prompts_tell_costs_but_no_agreement() -> None:
    environment = InMemoryEnvironment(METHODS["blind"], Settings(generations=2), answer=healthy)
    run(environment)
    assert len(environment.asked) == 12
    for request in environment.asked.values():
        assert "Mean cost on the design set" in request.messages[0].content
        assert "agreement" not in request.messages[0].content
    assert all(c.diagnostics is None for c in environment.recorded)


@pytest.mark.parametrize(
    ("name", "operators", "analyzer"),
    [
        ("blind", ["s", "p", "m", "s", "p"], True),
        ("performance-only", ["s", "p", "m", "s", "p"], True),
        ("placebo", ["s", "p", "m", "s", "p"], True),
        ("unreflected", ["s", "p", "m", "s", "p"], False),
        ("no-analyzer", ["s", "p", "m", "s", "p"], False),
        ("no-guided-operators", ["e1", "e2", "m1", "m2", "e1"], False),
        ("no-pareto", ["s", "p", "m", "s", "p"], True),
        ("max-align", ["s", "p", "m", "s", "p"], True),
        ("no-s", ["p", "m", "p", "m", "p"], True),
        ("no-p", ["s", "m", "s", "m", "s"], True),
        ("no-m", ["s", "p", "s", "p", "s"], True),
    ],
)
def test_every_ablation_asks_for_what_its_name_says(
    name: str, operators: list[str], analyzer: bool
) -> None:
    environment = InMemoryEnvironment(METHODS[name], Settings(generations=1), answer=healthy)
    run(environment)
    asked = [environment.asked["program", 1, slot, 0].operator for slot in range(5)]
    assert asked == operators
    assert (("analyzer", 1, 0, 0) in environment.asked) is analyzer


def test_the_analyzer_is_asked_only_in_teacher_active_generations() -> None:
    environment = InMemoryEnvironment(
        OURS, Settings(generations=4, teacher_every=2), answer=healthy
    )
    run(environment)
    assert [key[1] for key in environment.asked if key[0] == "analyzer"] == [2, 4]
    asked = {c.id for c in environment.recorded if c.generation in (2, 4)}
    assert all(c.diagnostics for c in environment.recorded if c.id in asked and not c.failure)


def test_survivors_of_a_quiet_generation_are_diagnosed_when_the_teacher_is_asked_again() -> None:
    environment = InMemoryEnvironment(
        OURS, Settings(generations=2, teacher_every=2, lambda_=0), answer=healthy
    )
    run(environment)
    born = [c for c in environment.recorded if c.generation == 1 and not c.failure]
    survived = set(environment.closed[1][1])
    for id in {c.id for c in born}:
        times = [c for c in born if c.id == id]
        said = [c.diagnostics is not None for c in times]
        assert said == ([False, True] if id in survived else [False])
    assert survived & {c.id for c in born}


def test_a_method_without_a_teacher_owes_no_diagnoses() -> None:
    environment = InMemoryEnvironment(EOH, Settings(generations=2), answer=healthy)
    run(environment)
    assert all(c.diagnostics is None for c in environment.recorded)


def test_a_search_continued_from_a_pool_ends_where_the_whole_one_does() -> None:
    whole = InMemoryEnvironment(OURS, Settings(generations=4))
    end = run(whole)
    half = InMemoryEnvironment(OURS, Settings(generations=2))
    middle = run(half)
    rest = InMemoryEnvironment(OURS, Settings(generations=4))
    continued = asyncio.run(search(rest, start=replace(middle.state)))
    assert continued.state.population == end.state.population


def test_earlier_programs_join_in_until_two_costs_differ_and_no_further() -> None:
    oldest, older = candidate(0, 9.0, generation=0), candidate(1, 7.0, generation=1)
    equal = [candidate(k, 5.0, generation=2) for k in (2, 3)]
    state = SearchState(2, tuple(equal), (oldest, older, *equal))
    assert look_back(state) == (*equal, older)
    assert look_back(replace(state, population=(older, *equal))) == (older, *equal)
