"""What others reach on the design set: measured once, told to writers who read prompts."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import pytest

import problems
from engine.diagnosis.queries import SolveAlone
from engine.diagnosis.teacher_pool import TeacherPool
from engine.domain.specs.settings import RunSpec, Settings
from engine.domain.values import Landmarks
from engine.runtime.measure.landmarks import Survey
from engine.runtime.plan import plan
from engine.runtime.run import run_booked
from engine.store.store import Store
from problems import ProblemRef
from problems.base import Problem, Rollout, Rule
from problems.errors import TeacherUnavailable
from tests.toy.problem import smith

TOY = ProblemRef("tests/toy")
WRITER = f"{Path(__file__).parents[2] / 'scripted.py'}:Scripted"
TEACHER = f"program:{Path(__file__).parents[2] / 'toy/teacher.py'}"


@dataclass
class Alone:
    """A teacher that solves every instance at the same cost, or that fails."""

    cost: float | None = 7.0
    asked: int = 0

    async def ask(self, query: SolveAlone) -> list[Rollout | None]:
        """Eight rollouts."""
        self.asked += 1
        if self.cost is None:
            raise TeacherUnavailable("it sleeps")
        return [Rollout(self.cost, (), 0.0)] * 8


def survey(
    folder: Path,
    method: str = "blind",
    writer: str = "openai:any",
    alone: Alone | None = None,
    rules: tuple[Rule, ...] | None = None,
    teacher: str = TEACHER,
    whole: bool = False,
) -> Landmarks:
    """What is found for a run on the toy."""
    the_plan = plan(RunSpec(TOY, method, writer=writer, teacher=teacher))
    toy = cast("Problem", _With(rules or problems.load(TOY).rules(), whole))
    the_plan = replace(the_plan, problem=toy)
    process = cast("TeacherPool", alone or Alone())
    with Store(folder / "runs.db") as store:
        return asyncio.run(Survey(store, the_plan, "digest").find(process, "v1"))


class _With:
    """The toy with other rules, perhaps of programs that return whole solutions."""

    def __init__(self, rules: tuple[Rule, ...], whole: bool) -> None:
        self._toy = problems.load(TOY)
        self._rules = rules
        answer = "solution" if whole else self._toy.contract.answer
        self.contract = replace(self._toy.contract, answer=answer)

    def __getattr__(self, name: str) -> object:
        return getattr(self._toy, name)

    def rules(self) -> tuple[Rule, ...]:
        """Those given."""
        return self._rules


def smiths_cost() -> float:
    """What the optimal order costs on the design set."""
    toy = problems.load(TOY)
    instances = toy.load("design")
    return sum(toy.replay(one, smith(one)) for one in instances) / len(instances)


def test_of_rules_the_teacher_alone_is_a_landmark_and_of_whole_solutions_the_solvers(
    tmp_path: Path,
) -> None:
    for method in ("preceptor", "ours"):
        assert survey(tmp_path, method) == Landmarks((), 7.0)
    ((name, cost),) = survey(tmp_path, "blind", whole=True).solvers
    assert name == "smith"
    assert cost == pytest.approx(smiths_cost())


def test_a_teacher_that_tries_actions_solves_nothing_alone(tmp_path: Path) -> None:
    asked = Alone()
    found = survey(tmp_path, "ours", alone=asked, teacher="rollout")
    assert (found.teacher, found.tries, asked.asked) == (None, True, 0)


def test_what_was_measured_is_not_measured_again(tmp_path: Path) -> None:
    once, again = Alone(), Alone(9.0)
    assert survey(tmp_path, "preceptor", alone=once) == survey(tmp_path, "preceptor", alone=again)
    assert (once.asked, again.asked) == (1, 0)


def test_a_teacher_or_a_solver_that_fails_is_no_landmark(tmp_path: Path) -> None:
    assert survey(tmp_path, "preceptor", alone=Alone(None)).teacher is None

    def stumble(instance: object) -> list[int]:
        raise ZeroDivisionError

    rule = replace(problems.load(TOY).rules()[-1], name="stumbler", solve=stumble)
    assert survey(tmp_path, "blind", rules=(rule,), whole=True) == Landmarks()


@pytest.mark.parametrize(
    ("method", "writer"), [("preceptor", "builtin"), ("ours", "builtin"), ("eoh", "openai:any")]
)
def test_nothing_is_measured_that_nobody_reads(tmp_path: Path, method: str, writer: str) -> None:
    asked = Alone()
    assert survey(tmp_path, method, writer, asked) == Landmarks()
    assert asked.asked == 0


@pytest.mark.parametrize("writer", ["builtin", "openai:any"])
def test_what_a_shipped_teacher_reaches_on_the_design_set_is_on_record(
    tmp_path: Path, writer: str
) -> None:
    asked = Alone()

    def found(design: str) -> float | None:
        tsp, settings = ProblemRef("tsp"), Settings(design=design)
        the_plan = plan(RunSpec(tsp, writer=writer, teacher="lehd-tsp", settings=settings))
        process = cast("TeacherPool", asked)
        with Store(tmp_path / "runs.db") as store:
            return asyncio.run(Survey(store, the_plan, "digest").find(process, "v1")).teacher

    assert (found(""), asked.asked) == (5.809916368655674, 0)
    assert found("tsp20") == (None if writer == "builtin" else 7.0)


def test_a_run_beats_while_landmarks_are_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(tmp_path / "runs.db") as store:
        run = store.jobs.create_run(
            RunSpec(TOY, "blind", writer=WRITER, settings=Settings(generations=0))
        )

        async def find(*_: object) -> Landmarks:
            before = store.run(run).heartbeat
            while store.run(run).heartbeat == before:
                await asyncio.sleep(0.05)
            return Landmarks()

        monkeypatch.setattr(Survey, "find", find)
        assert asyncio.run(run_booked(store, run, {})) == "done"


@pytest.mark.parametrize(
    ("method", "writer", "larger"),
    [
        ("preceptor", "openai:any", "many"),
        ("preceptor", "builtin", ""),
        ("ours", "openai:any", ""),
    ],
)
def test_programs_are_timed_on_a_larger_set_where_a_prompt_tells_of_it(
    tmp_path: Path, method: str, writer: str, larger: str
) -> None:
    the_plan = plan(RunSpec(TOY, method, writer=writer, teacher=TEACHER))
    with Store(tmp_path / "runs.db") as store:
        assert Survey(store, the_plan, "digest").larger == larger
