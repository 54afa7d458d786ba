"""`preceptor bench`: rules, programs and teachers side by side, as text and as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.domain.specs.study import PATIENCE
from engine.runtime.measure.solvers import SolverResources
from tests.conftest import TEACHER, TOY, Shell
from tests.toy.problem import build
from tests.tui.schemas import read_document

SHORTEST = "def score(item, state):\n    return -item.duration\n"
FAILING = "def score(item, state):\n    return 1 / (state.left - 5)\n"


def rows(table: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["solver"]: row for row in table["rows"]}


def test_all_rules_are_measured_where_nothing_is_named(preceptor: Shell) -> None:
    done = preceptor("bench", TOY, "--set", "design", "--set", "held-out", "--json")
    tables = read_document(done.out, "bench")
    assert done.code == 0
    assert [(table["set"], table["instances"]) for table in tables] == [
        ("design", 8),
        ("held-out", 8),
    ]
    assert list(rows(tables[0])) == [rule.name for rule in build().rules()]
    assert {row["kind"] for row in tables[0]["rows"]} == {"rule"}


def test_the_design_set_is_measured_where_no_set_is_named(preceptor: Shell) -> None:
    (table,) = read_document(preceptor("bench", TOY, "--solver", "smith", "--json").out, "bench")
    assert table["set"] == "design"


def test_a_program_a_rule_and_a_teacher_stand_side_by_side(
    preceptor: Shell, tmp_path: Path
) -> None:
    file = tmp_path / "best.py"
    file.write_text(SHORTEST)
    words = ("--program", str(file), "--solver", "shortest", "--teacher", TEACHER)
    (table,) = read_document(preceptor("bench", TOY, *words, "--json").out, "bench")
    found = rows(table)
    assert [row["kind"] for row in table["rows"]] == ["rule", "program", "teacher"]
    assert found[str(file)]["costs"] == found["shortest"]["costs"]
    assert found[str(file)]["mean"] == sum(found["shortest"]["costs"]) / 8
    assert found[TEACHER]["mean"] < found["shortest"]["mean"]
    assert all(row["seconds"] > 0 for row in table["rows"])


def test_a_failure_leaves_nulls_and_its_reason(preceptor: Shell, tmp_path: Path) -> None:
    file = tmp_path / "failing.py"
    file.write_text(FAILING)
    done = preceptor("bench", TOY, "--program", str(file), "--solver", "smith", "--json")
    (table,) = read_document(done.out, "bench")
    failed, fine = rows(table)[str(file)], rows(table)["smith"]
    assert (failed["mean"], failed["costs"]) == (None, [None] * 8)
    assert "ZeroDivisionError" in failed["failures"][0]["message"]
    assert fine["failures"] == []
    assert fine["mean"] is not None


LATE = """
def score(item, state):
    if item.finish > 117:
        raise ValueError("too late")
    return -item.duration
"""


def test_a_part_of_a_set_is_shown_with_its_mean(preceptor: Shell, tmp_path: Path) -> None:
    file = tmp_path / "late.py"
    file.write_text(LATE)
    words = ("bench", TOY, "--program", str(file))
    (table,) = read_document(preceptor(*words, "--json").out, "bench")
    (row,) = table["rows"]
    costs = [cost for cost in row["costs"] if cost is not None]
    assert 0 < len(costs) == row["solved"] < 8
    assert (row["mean"], row["partial_mean"]) == (None, sum(costs) / len(costs))
    assert row["milliseconds"] > 0
    shown = preceptor(*words).out
    assert f"late.py failed: {len(costs)} of 8, mean {row['partial_mean']:.6g}; except" in shown


def test_a_program_has_a_studys_patience_unless_the_option_says_less(
    preceptor: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = []
    enter = SolverResources.__aenter__

    async def spy(resources: SolverResources) -> SolverResources:
        limits.append(resources._limits.cpu_seconds)
        return await enter(resources)

    monkeypatch.setattr(SolverResources, "__aenter__", spy)
    monkeypatch.setenv("PRECEPTOR_EVAL_SECONDS", "30")
    preceptor("bench", TOY, "--solver", "smith")
    preceptor("bench", TOY, "--solver", "smith", "--option", "eval_seconds=7")
    assert limits == [PATIENCE, 7]


def test_the_best_known_stands_beside(preceptor: Shell) -> None:
    words = ("bench", "jssp", "--set", "taillard-15x15", "--solver", "fdd-mwkr")
    (table,) = read_document(preceptor(*words, "--json").out, "bench")
    assert table["rows"][-1]["kind"] == "reference"
    assert table["rows"][-1]["mean"] == 1228.9
    assert table["rows"][-1]["seconds"] is None
    assert table["best_known_by"] == "came with the set"
    assert [row["better_than_known"] for row in table["rows"]] == [0, 0]


def test_what_is_better_than_the_best_known_is_doubted(
    preceptor: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRECEPTOR_DATA", str(tmp_path / "data"))
    folder = tmp_path / "square"
    folder.mkdir()
    nodes = "NODE_COORD_SECTION\n1 0 0\n2 30 0\n3 30 40\n4 0 40\n"
    head = "DIMENSION: 4\nEDGE_WEIGHT_TYPE: EUC_2D\n"
    (folder / "a.tsp").write_text(head + nodes)
    (folder / "b.tsp").write_text(head + nodes)
    (folder / "solutions").write_text("a : 141\nb : 140\n")
    words = ("bench", "tsp", "--set", "./square", "--solver", "nn-2opt")
    assert preceptor(*words).out.splitlines()[-3:-1] == [
        "best-known: came with the set",
        "nn-2opt is better than the best known on 1 of 2 instances: the reference is not optimal, "
        "or the problem solved lacks a constraint of it",
    ]
    (table,) = read_document(preceptor(*words, "--json").out, "bench")
    assert [row["better_than_known"] for row in table["rows"]] == [1, 0]


def test_the_table_says_how_sure_the_set_is(preceptor: Shell) -> None:
    words = ("bench", "jssp", "--set", "taillard-15x15", "--solver", "spt", "--solver", "mwkr")
    shown = preceptor(*words).out
    assert "identity certain" in shown
    assert [line.split()[0] for line in shown.splitlines()[2:5]] == ["spt", "mwkr", "best-known"]


def test_narration_stays_out_of_the_data(preceptor: Shell) -> None:
    done = preceptor("bench", TOY, "--solver", "smith")
    assert "smith solved 8 of 8" in done.err
    assert "took" not in done.out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--set", "heldout"), "did you mean 'held-out'?"),
        (("--solver", "smth"), "did you mean 'smith'?"),
        (("--solver", "teacher:nobody"), "unknown teacher 'nobody'"),
        (("--teacher", "nobody"), "unknown teacher 'nobody'"),
        (("--program", "no.py"), "no.py: No such file"),
        (("--program", "run:1"), "run '1'"),
        (("--option", "eval_second=1"), "did you mean 'eval_seconds'?"),
    ],
)
def test_what_does_not_exist_is_named(
    words: tuple[str, ...], complaint: str, preceptor: Shell
) -> None:
    refused = preceptor("bench", TOY, *words)
    assert refused.code == 2
    assert complaint in refused.complaint


def test_a_file_without_the_function_is_refused(preceptor: Shell, tmp_path: Path) -> None:
    file = tmp_path / "other.py"
    file.write_text("def other(a): ...\n")
    refused = preceptor("bench", TOY, "--program", str(file))
    assert refused.code == 2
    assert refused.complaint.endswith("other.py: defines other(), not score(item, state)")


def test_a_teacher_that_cannot_answer_leaves_what_others_reached(preceptor: Shell) -> None:
    done = preceptor("bench", TOY, "--solver", "smith", "--teacher", "eco-dqn", "--json")
    (table,) = read_document(done.out, "bench")
    assert rows(table)["smith"]["solved"] == 8
    (failure,) = rows(table)["eco-dqn"]["failures"]
    assert failure["message"] in done.err
    assert (done.code, rows(table)["eco-dqn"]["solved"]) == (3, 0)


@pytest.mark.parametrize(
    ("name", "words"),
    [("rollout", "solves nothing by itself"), ("eco-dqm", "did you mean 'eco-dqn'?")],
)
def test_a_teacher_that_is_none_is_refused_before_anything_is_measured(
    name: str, words: str, preceptor: Shell
) -> None:
    done = preceptor("bench", TOY, "--teacher", name)
    assert done.code == 2
    assert words in done.complaint
    assert "solved" not in done.err


def test_a_teacher_has_nothing_to_say_of_whole_solutions(preceptor: Shell) -> None:
    words = ("tsp", "--kind", "whole", "--set", "tsp20", "--teacher", "lehd-tsp")
    refused = preceptor("bench", *words)
    assert (refused.code, refused.err.strip()) == (
        2,
        "preceptor: programs of tsp return whole solutions: there are no decisions for a teacher "
        "to comment on",
    )
