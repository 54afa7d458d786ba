"""Runs beside each other: when they do not compare."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.domain.records import Provenance
from engine.domain.specs.settings import RunSpec
from engine.report.side_by_side import compare_groups
from engine.store.reader import Reader
from engine.store.store import Store
from problems import ProblemRef

MIXED = "WARNING: the runs were made by different versions of the code"


@pytest.mark.parametrize(
    ("problems", "codes", "told"),
    [
        (("tsp", "tsp"), ("one", "one"), False),
        (("tsp", "tsp"), ("one", "other"), True),
        (("tsp", "cvrp"), ("one", "other"), False),
    ],
)
def test_versions_of_the_code_are_those_of_one_problem(
    tmp_path: Path, problems: tuple[str, ...], codes: tuple[str, ...], told: bool
) -> None:
    db = tmp_path / "runs.db"
    with Store(db) as store:
        for name, code in zip(problems, codes, strict=True):
            run = store.jobs.create_run(RunSpec(ProblemRef(name), "blind"))
            store.jobs.record_provenance(run, Provenance(code, "", ""))
    with Reader(db) as reader:
        assert (MIXED in compare_groups(reader, (1, 2), ()).warnings) == told


@pytest.mark.parametrize(("second", "told"), [("tsp", False), ("cvrp", True)])
def test_costs_of_different_problems_do_not_compare(
    tmp_path: Path, second: str, told: bool
) -> None:
    db = tmp_path / "runs.db"
    with Store(db) as store:
        for name in ("tsp", second):
            store.jobs.create_run(RunSpec(ProblemRef(name), "blind"))
    with Reader(db) as reader:
        warnings = compare_groups(reader, (1, 2), ()).warnings
    assert any("tsp and cvrp are different problems" in line for line in warnings) == told
