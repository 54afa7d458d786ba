"""Tables of runs and studies: flat rows of plain values, the same columns in all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.api.run import Run
from engine.api.study import Study
from engine.domain.specs.settings import RunSpec
from engine.store.store import Store
from problems import ProblemRef
from problems.errors import UnknownName
from tests.engine.small_study import CHILD, SEED, STUDY, build


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """The small study."""
    build(tmp_path / "runs.db")
    return Study(tmp_path / "runs.db", STUDY)


def column(rows: list[dict[str, Any]], name: str) -> list[Any]:
    """The values of a column."""
    return [row[name] for row in rows]


def test_every_table_is_of_plain_values_under_the_same_columns(study: Study) -> None:
    run = study.runs[0]
    for rows in (
        run.table(),
        run.table("events"),
        run.table("held-out"),
        study.table(),
        study.table("held-out"),
    ):
        assert rows
        assert {tuple(row) for row in rows} == {tuple(rows[0])}
        assert {type(v) for row in rows for v in row.values()} <= {str, int, float, type(None)}


def test_an_event_has_its_place_and_its_own_fields(study: Study) -> None:
    seed, child, _, note = study.runs[0].table("events")
    assert [child[name] for name in ("kind", "generation", "slot", "program", "cost")] == [
        "candidate",
        1,
        0,
        CHILD.id,
        7.5,
    ]
    assert (note["kind"], note["text"], note["cost"]) == ("hint", "nothing new", None)
    assert seed["number"] < child["number"] < note["number"]
    assert seed["program"] == SEED.id


def test_what_was_measured_has_mean_error_and_gap(study: Study) -> None:
    rows = study.table("held-out")
    assert column(rows, "kind") == ["program"] * 4 + ["reference", "rule"]
    assert column(rows, "method")[2:] == ["ours", "ours", None, None]
    (won,) = study.runs[0].table("held-out")
    assert won in rows
    assert won == {
        "run": 1,
        "method": "ours",
        "seed": 3,
        "problem": "toy",
        "set": "far",
        "kind": "program",
        "solver": CHILD.id,
        "count": 2,
        "solved": 2,
        "mean": 6.0,
        "error": 1.0,
        "gap": pytest.approx(20.0),
        "seconds": 0.5,
    }


def test_a_set_that_was_not_solved_has_no_mean(study: Study) -> None:
    (unsolved,) = study.runs[3].table("held-out")
    assert [unsolved[name] for name in ("count", "solved")] == [2, 1]
    assert [unsolved[name] for name in ("mean", "error", "gap")] == [None, None, None]


def test_a_study_is_a_row_a_run(study: Study) -> None:
    first, *_, last = study.table()
    assert first == {
        "run": 1,
        "method": "ours",
        "seed": 3,
        "problem": "tests/toy",
        "status": "starting",
        "cost": 7.5,
        "set": "far",
        "held_out": 6.0,
        "calls": 2,
        "tokens": 84,
        "usd": 0.5,
        "seconds": 0.0,
    }
    assert [last[name] for name in ("run", "cost", "calls", "held_out")] == [4, None, 0, None]


def test_a_run_of_no_study_was_measured_nowhere(study: Study) -> None:
    with Store(study.store) as store:
        alone = Run(study.store, store.jobs.create_run(RunSpec(ProblemRef("tests/toy"))))
    assert alone.table("held-out") == alone.table() == alone.table("events") == []


@pytest.mark.parametrize("number", [1, 9])
def test_another_table_or_run_is_refused(study: Study, number: int) -> None:
    with pytest.raises(UnknownName):
        Run(study.store, number).table("rows" if number == 1 else "events")  # type: ignore[arg-type]
    with pytest.raises(UnknownName):
        Study(study.store, number).table("programs" if number == 1 else "runs")  # type: ignore[arg-type]
