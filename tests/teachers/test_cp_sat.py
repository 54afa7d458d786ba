"""The exact teacher of the job shop, held against every order of dispatch."""

from __future__ import annotations

from functools import reduce
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import problems
import teachers
from engine.api.resolve import RunRequest, resolve_run
from engine.store.reader import Reader
from problems import ProblemRef
from problems.base import Decision
from problems.errors import TeacherUnavailable, UserError
from problems.jssp.instances import Instance, random_instances
from problems.jssp.state import State, dispatch, empty
from teachers.base import Verdict
from teachers.conformance import decisions
from teachers.cp_sat import LARGEST, CpSat, complete, least_makespans
from teachers.rollout import rollouts

pytest.importorskip("ortools")

JSSP = ProblemRef("jssp")


def least(state: State, known: dict[State, int]) -> int:
    """The least makespan over every order in which the rest can be dispatched."""
    if not state.unfinished:
        return state.makespan
    if state not in known:
        known[state] = min(least(dispatch(state, job), known) for job in state.unfinished)
    return known[state]


def check_exact(state: State) -> None:
    """Every job of a state has the score that trying all orders gives it."""
    jobs = state.unfinished
    tried = tuple(least(dispatch(state, job), {}) for job in jobs)
    assert least_makespans(state, jobs) == tried


@st.composite
def partial_schedules(draw: st.DrawFn, shortest: int) -> State:
    """A shop of 3 jobs on 3 machines, somewhere on the way."""
    rows = [draw(st.permutations(range(3))) for _ in range(3)]
    durations = st.tuples(*[st.integers(shortest, 9)] * 3)
    times = [draw(durations) for _ in range(3)]
    state = empty(Instance("drawn", tuple(times), tuple(map(tuple, rows))))
    for _ in range(draw(st.integers(0, 8))):
        state = dispatch(state, draw(st.sampled_from(state.unfinished)))
    return state


@settings(max_examples=60)
@given(partial_schedules(shortest=1))
def test_scores_are_those_of_trying_every_order(state: State) -> None:
    check_exact(state)


@settings(max_examples=60)
@given(partial_schedules(shortest=0))
def test_operations_that_take_no_time_are_scored_exactly_too(state: State) -> None:
    check_exact(state)


@pytest.mark.parametrize(("jobs", "machines"), [(2, 4), (3, 3), (4, 2)])
def test_scores_from_the_start_are_those_of_trying_every_order(jobs: int, machines: int) -> None:
    for shop in random_instances("tried", 5, 2, jobs, machines):
        check_exact(empty(shop))


def test_jobs_of_different_lengths_are_scored_exactly() -> None:
    check_exact(empty(Instance("ragged", ((3, 2, 4), (5,), (2, 6)), ((0, 1, 2), (1,), (2, 0)))))


def test_following_it_reaches_the_optimum_of_every_shop() -> None:
    problem = problems.load(JSSP)
    shops = problem.load("random-4x4")[:20]
    found = rollouts(CpSat(), problem, shops)
    optima = [min(least_makespans(empty(shop), range(4)) or ()) for shop in shops]
    assert [rollout and rollout.cost for rollout in found] == optima


def test_every_completion_can_be_dispatched_in_its_order() -> None:
    problem = problems.load(JSSP)
    for decision in decisions(problem, problem.load("random-5x5")[:3], each=4):
        best = complete(decision.state, 0, 10_000, limit=5.0)
        assert best is not None
        assert reduce(dispatch, best.jobs, decision.state).makespan == best.makespan


def test_what_it_prefers_keeps_the_optimum() -> None:
    problem = problems.load(JSSP)
    (decision,) = decisions(problem, problem.load("random-6x6")[:1], each=1)
    (verdict,) = teachers.load("cp-sat", JSSP).verdicts([decision])
    assert verdict.scores is not None and verdict.preferred is not None
    state = dispatch(decision.state, verdict.preferred)
    kept = least_makespans(state, state.unfinished)
    assert kept is not None and -min(kept) == max(verdict.scores)


def test_without_a_proof_there_is_no_preference() -> None:
    (shop,) = random_instances("hard", 5, 1, 8, 8)
    decision = Decision(0, 0, empty(shop), tuple(range(8)), 0)
    assert CpSat(limit=1e-6).verdicts([decision]) == [Verdict(None, None)]


def test_a_limit_is_part_of_what_verdicts_depend_on() -> None:
    assert CpSat(limit=1.0).fingerprint != CpSat(limit=2.0).fingerprint


def test_shops_that_are_too_large_are_refused_in_a_sentence() -> None:
    problem = problems.load(JSSP)
    taken = decisions(problem, problem.load("random-4x26")[:1], each=1)
    with pytest.raises(TeacherUnavailable, match=r"at most 100 operations.*has 104"):
        CpSat().verdicts(taken)
    assert LARGEST == 100
    CpSat().verdicts(decisions(problem, problem.load("random-4x25")[:1], each=1))


def test_without_cp_sat_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "cp-sat" in teachers.names()
    with pytest.raises(TeacherUnavailable, match=r"preceptor\[reference\]"):
        teachers.load("cp-sat", JSSP)


def test_it_is_a_teacher_by_name_with_nothing_to_train_and_nobodys_default() -> None:
    assert teachers.load("cp-sat", JSSP).name == "cp-sat"
    assert "cp-sat" not in teachers.learned()
    assert teachers.default("jssp") == "es-jssp"
    with pytest.raises(UserError, match="is for jssp, not for tsp"):
        teachers.load("cp-sat", ProblemRef("tsp"))


def test_a_run_on_shops_that_are_too_large_is_refused_before_it_begins(tmp_path: Path) -> None:
    reader = Reader(tmp_path / "none.db")
    with pytest.raises(TeacherUnavailable, match="at most 100 operations"):
        resolve_run(RunRequest("jssp", teacher="cp-sat"), reader)
    with pytest.raises(UserError, match="is for jssp, not for tsp"):
        resolve_run(RunRequest("tsp", teacher="cp-sat"), reader)
    small = RunRequest("jssp", teacher="cp-sat", options={"design": "random-4x4"})
    assert resolve_run(small, reader).spec.teacher == "cp-sat"
