"""An ordinary program costs the same in a run, in `bench`, as an exported file, step by step."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.api import export as exports
from engine.api.measure.scripts import bench
from engine.domain.program import make_program
from engine.domain.records import Provenance
from engine.domain.specs.settings import RunSpec
from engine.domain.values import Candidate, Evaluation
from engine.evaluate.pool import Evaluator, Limits
from engine.store.reader import Reader
from engine.store.store import Store
from problems import ProblemRef, load
from tests.engine.evaluate.red_team.asking import SMALL
from tests.engine.evaluate.red_team.ordinary import ORDINARY, REFUSED
from tests.engine.evaluate.red_team.trick import Trick

ROOT = Path(__file__).parents[4]
COUNT = 6
"""Instances walked step by step."""

LEAST = 110
"""Ordinary programs that are accepted."""


def programs(contract: str) -> list[Trick]:
    """The ordinary programs that the gate is to let pass."""
    return [one for one in ORDINARY if one.contract == contract and one.name not in REFUSED]


def test_nearly_all_ordinary_programs_are_accepted() -> None:
    assert sum(len(programs(contract)) for contract in SMALL) >= LEAST


class Shared:
    """An evaluator that is started once and left open."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator

    async def __aenter__(self) -> Evaluator:
        return self.evaluator

    async def __aexit__(self, *_: object) -> None:
        """Stay."""


@pytest.mark.parametrize("contract", SMALL)
async def test_ordinary_programs_cost_the_same_everywhere(
    contract: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, small = SMALL[contract]
    ref = ProblemRef(name)
    ordinary = programs(contract)
    async with Evaluator.start(ref, Limits(), workers=2) as evaluator:
        ran = [await evaluator.evaluate(one.code, small) for one in ordinary]
        assert {o.name: e.failure for o, e in zip(ordinary, ran, strict=True) if e.failure} == {}
        monkeypatch.setattr(Evaluator, "start", lambda *_, **__: Shared(evaluator))
        files = await exported(ref, ordinary, tmp_path)
    monkeypatch.undo()
    (table,) = bench(name, [make_program("", one.code) for one in ordinary], [small])
    objective = load(ref).objective
    alone = answers(contract, files)
    for k, one in enumerate(ordinary):
        costs = [cost for cost in ran[k].costs if cost is not None]
        assert [*map(objective, costs)] == [*table.rows[k].costs], one.name
        assert alone[k] == [0, costs[:COUNT]], one.name
        assert stepped(contract, one.code, ran[k]) == costs[:COUNT], one.name


async def exported(ref: ProblemRef, ordinary: list[Trick], folder: Path) -> list[Path]:
    """The programs as files, by way of a run that holds them."""
    files = []
    with Store(folder / "runs.db") as store:
        run = store.jobs.create_run(RunSpec(ref))
        store.jobs.record_provenance(run, Provenance("c0de", "de51", "f1ngerpr1nt"))
        for number, one in enumerate(ordinary):
            program = make_program(one.name, one.code)
            candidate = Candidate(f"p{number:04}", program, "seed", 0, number, cost=1.0)
            store.search_log.record_candidate(run, candidate)
    with Reader(folder / "runs.db") as reader:
        for number in range(len(ordinary)):
            files.append(folder / f"p{number:04}.py")
            made = await exports.export(reader, run, f"p{number:04}")
            files[-1].write_text(made.text, "utf-8")
    return files


def answers(contract: str, files: list[Path]) -> list[Any]:
    """What an ordinary Python makes of the files."""
    module = "tests.engine.evaluate.red_team.plain_python"
    done = subprocess.run(
        [sys.executable, "-m", module, contract, str(COUNT), *map(str, files)],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": "31"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def stepped(contract: str, code: str, evaluation: Evaluation) -> list[float]:
    """The costs of the evaluation's actions by the plain rules."""
    name, small = SMALL[contract]
    problem = load(ProblemRef(name))
    costs = []
    for instance, actions in zip(problem.load(small)[:COUNT], evaluation.actions, strict=False):
        state = problem.start(instance)
        for action in actions:
            state = problem.step(state, action)
        costs.append(problem.cost(state))
    return costs
