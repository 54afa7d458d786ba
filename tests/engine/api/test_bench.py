"""A benchmark row says what was reached, at what price, and what went wrong."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from engine.api.measure.bench import BenchRow, BenchTable, bench
from engine.api.measure.diagnose import diagnose
from engine.domain.records import BEST_KNOWN
from engine.domain.specs.settings import Settings
from engine.evaluate.pool import Limits
from engine.runtime.executors.executor import Local
from engine.runtime.measure.solvers import Solver, SolverResources, find_solver
from problems import ProblemRef
from problems.base import Rule
from problems.errors import PreceptorError, UnknownName
from tests.toy.problem import Instance, smith

TEACHER = "program:tests/toy/teacher.py"
PROBLEM = """
from dataclasses import replace
from tests.toy.problem import Toy as Plain

class Toy(Plain):
    def load(self, name):
        first, *rest = super().load(name)
        return (replace(first, reference=-7.0), *rest)

    def objective(self, cost):
        return -cost

def build():
    return Toy()
"""


@pytest.fixture
async def resources() -> AsyncIterator[SolverResources]:
    async with SolverResources(ProblemRef("tests/toy/problem.py"), Limits(), Local(2)) as opened:
        yield opened


async def measured(resources: SolverResources, *solvers: Solver) -> Sequence[BenchRow]:
    (table,) = [table async for table in bench(resources, ["design"], solvers, lambda _: None)]
    return table.rows


def trusted(solve: object) -> Solver:
    return Solver("own", "rule", Rule("own", "", solve=solve))  # type: ignore[arg-type]


def test_a_missing_instance_leaves_no_mean() -> None:
    assert BenchRow("a", "rule", (1.0, 4.0)).mean == 2.5
    assert BenchRow("a", "rule", (1.0, None)).mean is None
    assert BenchRow("a", "rule", ()).mean is None
    assert BenchRow("a", "rule", (1.0, None, 4.0)).partial_mean == 2.5
    assert BenchRow("a", "rule", (None,)).partial_mean is None


async def test_costs_are_those_of_the_trusted_rules(resources: SolverResources) -> None:
    problem = resources.problem
    smiths, shortest = await measured(
        resources, find_solver(problem, "smith"), find_solver(problem, "shortest")
    )
    assert smiths.failure is shortest.failure is None
    pairs = zip(smiths.costs, shortest.costs, strict=True)
    assert all(best is not None and cost is not None and best <= cost for best, cost in pairs)


async def test_a_rule_that_breaks_the_rules_keeps_what_it_solved(
    resources: SolverResources,
) -> None:
    def once(instance: Instance) -> list[int]:
        return smith(instance) if instance.name == "design/0" else [0, 0]

    (row,) = await measured(resources, trusted(once))
    assert row.solved == 1
    assert row.mean is None
    assert row.failure is not None
    assert "(instance 1)" in row.failure.message


async def test_a_teacher_that_prefers_nothing_is_a_failure(
    resources: SolverResources, tmp_path: Path
) -> None:
    file = tmp_path / "mute.py"
    file.write_text(
        "def score(item, state):\n"
        "    return float('nan') if item.duration == 1 and state.left > 8 else item.weight\n"
    )
    (row,) = await measured(resources, Solver(f"program:{file}", "teacher"))
    assert 0 < row.solved < 8
    assert row.failure is not None
    assert row.failure.kind == "non-finite"


async def test_costs_are_shown_in_the_natural_sense(tmp_path: Path) -> None:
    file = tmp_path / "problem.py"
    file.write_text(PROBLEM)
    async with SolverResources(ProblemRef(str(file)), Limits(), Local(1)) as opened:
        smiths, known = await measured(opened, trusted(smith))
    assert all(cost is not None and cost < 0 for cost in smiths.costs)
    assert known == BenchRow(BEST_KNOWN, "reference", (-7.0, *[None] * 7))


@pytest.mark.parametrize(("sign", "ahead"), [("", 0), ("-", 1)])
async def test_a_solver_better_than_the_best_known_is_counted(
    sign: str, ahead: int, tmp_path: Path
) -> None:
    file = tmp_path / "problem.py"
    file.write_text(PROBLEM.replace("-7.0", f"{sign}9999.0"))
    async with SolverResources(ProblemRef(str(file)), Limits(), Local(1)) as opened:
        (table,) = [one async for one in bench(opened, ["design"], [trusted(smith)], print)]
    assert [row.ahead for row in table.rows] == [ahead, 0]
    assert table.known_by == "came with the set"


async def test_every_set_is_looked_up_before_any_is_solved(resources: SolverResources) -> None:
    tables: list[BenchTable] = []
    with pytest.raises(UnknownName):
        async for table in bench(resources, ["design", "nowhere"], [trusted(smith)], print):
            tables.append(table)
    assert tables == []


async def test_pictures_stand_beside_the_cases(resources: SolverResources) -> None:
    solver = find_solver(resources.problem, "balanced")
    found = await diagnose(resources, solver, TEACHER, Settings(cases=4), print)
    assert len(found.pictures) == len(found.diagnostics.cases) == 4
    assert all("|" in picture for picture in found.pictures)


async def test_a_solver_that_fails_is_not_commented_on(resources: SolverResources) -> None:
    with pytest.raises(PreceptorError, match="own failed on design"):
        await diagnose(resources, trusted(lambda _: [0, 0]), TEACHER, Settings(), print)


def test_a_solver_is_found_by_name_or_as_a_teacher() -> None:
    resources = SolverResources(ProblemRef("tests/toy/problem.py"), Limits(), Local(1))
    known = find_solver(resources.problem, "teacher:eco-dqn")
    assert known == Solver("eco-dqn", "teacher")
    with pytest.raises(UnknownName, match="unknown teacher 'x'"):
        find_solver(resources.problem, "teacher:x")
    with pytest.raises(UnknownName, match="did you mean 'smith'"):
        find_solver(resources.problem, "smiths")
