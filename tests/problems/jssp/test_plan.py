"""Programs that choose a job from arrays: what these hold, and that they suffice to the end."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.evaluate.gate.inspect import Inspection, inspect
from engine.llm.builtin.expressions.skeleton import parse_program
from problems.base import rollout
from problems.errors import InvalidAction
from problems.jssp.plan import programs
from problems.jssp.plan.contract import OPEN
from problems.jssp.problem import PlannedJssp, build
from tests.problems.programs import compiled, solve_alone
from tests.problems.shops import shop, shops

if TYPE_CHECKING:
    from problems.base import Rule
    from problems.jssp.sets.data import Instance

PROBLEM = PlannedJssp()
PAPER = build()
SMALL = shop("0:2 1:3 0:1", "1:4 0:6", "0:5 1:1")
GAP = shop("1:9 0:3", "0:4 1:1")
TABLES = ("durations", "machines", "work_left", "op_count")
COMPLETE: Any = programs.complete
NAMES = [argument.name for argument in PROBLEM.contract.arguments]
SEEDS = {seed.name: seed for seed in PROBLEM.seeds()}
LOOK_AHEAD = SEEDS["shortest-completion"]


def seen(instance: Instance, *jobs: int) -> dict[str, Any]:
    """What a program is given after these jobs, by name, arrays as lists."""
    found: list[Any] = []

    def spy(*arguments: Any) -> Any:
        found.extend(arguments)
        return arguments[0][0]

    PROBLEM.decide(spy, reduce(PROBLEM.step, jobs, PROBLEM.start(instance)))
    return {name: one.tolist() for name, one in zip(NAMES, found, strict=True)}


def test_it_is_the_job_shop_of_its_name_under_an_option() -> None:
    assert build(state="plan") == PROBLEM
    assert PROBLEM.name == PAPER.name
    assert PROBLEM.contract.text() != PAPER.contract.text()


def test_tables_are_padded_behind_the_last_operation_of_a_job() -> None:
    given = seen(SMALL)
    assert given["durations"] == [[2, 3, 1], [4, 6, 0], [5, 1, 0]]
    assert given["machines"] == [[0, 1, 0], [1, 0, -1], [0, 1, -1]]
    assert given["work_left"] == [[6, 4, 1, 0], [10, 6, 0, 0], [6, 1, 0, 0]]
    assert given["op_count"] == [3, 2, 2]


def test_jobs_and_machines_stand_as_the_schedule_has_them() -> None:
    given = seen(SMALL, 0, 1)
    assert given["candidates"] == [0, 1, 2]
    assert (given["next_op"], given["job_ready"]) == ([1, 1, 0], [2, 4, 0])
    assert (given["machine_ready"], given["next_start"]) == ([2, 4], [4, 4, 2])


def test_a_finished_job_is_no_candidate_and_starts_nothing() -> None:
    given = seen(SMALL, 1, 1)
    assert given["candidates"] == [0, 2]
    assert given["next_start"][1] == -1


def test_idle_intervals_end_with_the_one_that_stays_open() -> None:
    given = seen(GAP, 0, 0)
    assert given["gap_count"] == [2, 1]
    assert given["gap_start"] == [[0, 12, 0], [9, 0, 0]]
    assert given["gap_end"] == [[9, OPEN, 0], [OPEN, 0, 0]]


def test_a_start_inside_a_gap_is_shown() -> None:
    assert seen(GAP, 0, 0)["next_start"] == [-1, 0]


def test_intervals_that_nothing_fits_into_are_left_out() -> None:
    instance = shop("1:9 0:3", "0:8 1:2")
    assert seen(instance, 0, 1)["gap_count"] == [1, 1]
    assert seen(instance, 0, 1, 0)["gap_count"] == [1, 1]


def test_what_is_shown_cannot_be_used_to_change_anything() -> None:
    def vandal(*arguments: Any) -> Any:
        job = int(arguments[0][0])
        for name, array in zip(NAMES, arguments, strict=True):
            if name in TABLES:
                with pytest.raises(ValueError, match="WRITEABLE"):
                    array.setflags(write=True)
            else:
                array[:] = 7
        return job

    taken = rollout(PROBLEM, vandal, SMALL).actions
    assert taken == (0, 0, 0, 1, 1, 2, 2)
    assert PROBLEM.rollout(vandal, SMALL, None) == list(taken)


@settings(max_examples=60, derandomize=True)
@given(shops(), st.integers(0, 5))
def test_the_fast_rollout_shows_what_the_plain_one_shows(instance: Instance, pick: int) -> None:
    calls: list[Any] = []

    def program(*arguments: Any) -> Any:
        calls.append([(one.dtype, one.tolist()) for one in arguments])
        return arguments[0][pick % len(arguments[0])]

    plain = rollout(PROBLEM, program, instance)
    shown, calls = calls, []
    assert PROBLEM.rollout(program, instance, None) == list(plain.actions)
    assert calls == shown
    assert {dtype for dtype, _ in calls[0]} == {np.dtype(np.int64)}


@settings(max_examples=60, derandomize=True)
@given(shops(), st.integers(0, 8), st.integers(0, 5))
def test_the_arguments_suffice_to_complete_the_schedule(
    instance: Instance, steps: int, pick: int
) -> None:
    """The look-ahead of the seed, begun anywhere, promises what its rule then reaches."""
    state = PROBLEM.start(instance)
    for _ in range(min(steps, instance.size - 1)):
        jobs = PROBLEM.actions(state)
        state = PROBLEM.step(state, jobs[pick % len(jobs)])
    promised: list[float] = []

    def first(candidates: Any, *given: Any) -> Any:
        tables, (next_op, ready, _, start), gaps = given[:4], given[4:8], given[8:]
        job = candidates[pick % len(candidates)]
        promised.append(COMPLETE(job, *tables, next_op, ready, start, *gaps))
        return job

    state = PROBLEM.step(state, PROBLEM.decide(first, state))
    while PROBLEM.actions(state):
        state = PROBLEM.step(state, PROBLEM.decide(by_the_rule, state))
    assert promised == [PROBLEM.cost(state)]


def by_the_rule(candidates: Any, durations: Any, *given: Any) -> Any:
    """The rule of the seed's look-ahead."""
    _, work_left, _, next_op, _, _, start = given[:7]

    def score(job: int) -> float:
        work = work_left[job][next_op[job]]
        return float(0.2 * work - start[job] - durations[job][next_op[job]])

    return max(candidates, key=score)


@pytest.mark.parametrize("rule", PROBLEM.rules(), ids=lambda rule: rule.name)
@settings(max_examples=15, derandomize=True)
@given(instance=shops())
def test_a_rule_takes_the_same_actions_in_an_exported_file(rule: Rule, instance: Instance) -> None:
    function = compiled(rule.code or "")
    plain = rollout(PROBLEM, function, instance)
    assert PROBLEM.rollout(function, instance, None) == list(plain.actions)
    taken, makespan = solve_alone(PROBLEM, rule.code or "", instance)
    assert (tuple(taken), makespan) == (plain.actions, plain.cost)


@pytest.mark.parametrize("rule", PAPER.rules(), ids=lambda rule: rule.name)
@settings(max_examples=15, derandomize=True)
@given(instance=shops())
def test_a_classical_rule_is_the_same_in_both_forms(rule: Rule, instance: Instance) -> None:
    (own,) = (one for one in PROBLEM.rules() if one.name == rule.name)
    assert own.idea == rule.idea
    scored = rollout(PAPER, compiled(rule.code or ""), instance).actions
    assert rollout(PROBLEM, compiled(own.code or ""), instance).actions == scored


@pytest.mark.parametrize("answer", [-1, 3, 1.0, True, None, "0", np.array([0])])
def test_what_is_no_unfinished_job_is_refused_by_both_walks(answer: object) -> None:
    for walk in (rollout, lambda problem, program, one: problem.rollout(program, one, None)):
        with pytest.raises(InvalidAction, match=r"^step 0: .* is no unfinished job"):
            walk(PROBLEM, lambda *_: answer, SMALL)


def test_an_error_of_a_program_tells_its_step() -> None:
    def program(candidates: Any, *given: Any) -> Any:
        return candidates[0] if len(candidates) == 3 else 1 // 0

    for walk in (rollout, lambda problem, program, one: problem.rollout(program, one, None)):
        with pytest.raises(ZeroDivisionError) as caught:
            walk(PROBLEM, program, SMALL)
        assert caught.value.__notes__ == ["step 3"]


@pytest.mark.parametrize("seed", SEEDS.values(), ids=SEEDS)
def test_the_gate_lets_every_seed_pass_and_the_default_writer_finds_its_score(seed: Rule) -> None:
    assert isinstance(inspect(seed.code or "", PROBLEM.contract), Inspection)
    draft = parse_program(seed.code or "", PROBLEM.contract)
    assert draft is not None and draft.looks_ahead == (seed is LOOK_AHEAD)
    assert seed.idea.endswith(".") and "fmt:" not in (seed.code or "")


def test_looking_ahead_beats_the_rule_that_it_looks_ahead_by() -> None:
    instance = PROBLEM.load("random-10x10")[0]
    planned = PROBLEM.replay(
        instance, PROBLEM.rollout(compiled(LOOK_AHEAD.code or ""), instance, None)
    )
    assert planned < PROBLEM.replay(instance, PROBLEM.rollout(by_the_rule, instance, None))


def test_cases_show_no_labels_as_if_they_were_quantities() -> None:
    state = PROBLEM.start(SMALL)
    assert PAPER.fields(state, 1).keys() - PROBLEM.fields(state, 1).keys() == {
        "job_id",
        "machine_id",
    }
