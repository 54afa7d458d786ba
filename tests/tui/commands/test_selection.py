"""The winner's two figures, and children that stopped early, wherever a run is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ALONE, TOY, WRITER, Shell
from tests.tui.schemas import read_document, read_lines
from tui.text.formatting import number

OPTIONS = ("population=3", "generations=3", "design=many", "selection=choice")
RUN = (
    TOY,
    "--method",
    "eoh",
    "--llm",
    WRITER,
    *(word for one in OPTIONS for word in ("--option", one)),
)


@pytest.fixture
def ended(preceptor: Shell) -> dict[str, Any]:
    """The last line of a run's JSON."""
    lines: list[dict[str, Any]] = read_lines(preceptor("run", *RUN, "--json").out, "run")
    return lines[-1]


def test_both_figures_stand_in_the_result_and_in_its_json(preceptor: Shell) -> None:
    done = preceptor("run", *RUN)
    last = read_lines(preceptor("watch", "--json").out, "run")[-1]
    best = last["best"]
    near = last["selection"]["finalists"]
    assert last["selection"]["set"] == "choice"
    assert last["selection"]["instances"] == 8
    assert last["selection"]["objective"] == best["selection_cost"]
    assert best["selection_cost"] == min(one["cost"] for one in near)
    cost, selection = number(best["cost"]), number(best["selection_cost"])
    assert f"best {best['program']}: cost {cost}, " in done.out
    assert f"on selection (choice, 8 other instances): cost {selection}; " in done.out
    assert f"{best['program']} on choice: cost {selection}" in done.err
    assert f"winner {best['program']}, " in done.err


def test_both_figures_stand_in_runs_show_and_export(
    preceptor: Shell, ended: dict[str, Any], tmp_path: Path
) -> None:
    best = ended["best"]
    cost, selection = number(best["cost"]), number(best["selection_cost"])
    (line,) = [line for line in preceptor("runs").out.splitlines() if " done " in line]
    assert f" {cost} " in line and f" {selection} " in line
    (entry,) = read_document(preceptor("runs", "--json").out, "runs")["runs"]
    assert entry["best"]["selection_cost"] == best["selection_cost"]
    shown = read_document(preceptor("show", "1", "--json").out, "show")
    assert shown["selection"] == ended["selection"]
    assert (
        f"on selection (choice, 8 other instances): cost {selection}; "
        in preceptor("show", "1").out
    )
    program = preceptor("show", "1", best["program"]).out
    assert f"cost {cost}, on the selection set {selection}" in program
    made = preceptor("export", "1", "-o", "best.py", "--json")
    assert read_document(made.out, "export")["selection_cost"] == best["selection_cost"]
    header = (tmp_path / "best.py").read_text().split('"""')[1]
    assert f"{best['cost']}, mean of 64 instances of many" in header
    assert f"{best['selection_cost']}, mean of 8 instances of choice" in header


def test_who_stopped_early_is_told_with_how_far_it_was_behind(
    preceptor: Shell, ended: dict[str, Any]
) -> None:
    shown = read_document(preceptor("show", "1", "--json").out, "show")
    assert shown["failures"]["behind"] >= 1
    lines = preceptor("watch").err.splitlines()
    told = [line for line in lines if " failed: behind, stopped after 16 of 64 " in line]
    assert len(told) == shown["failures"]["behind"]
    program = read_document(preceptor("show", "1", told[0].split()[0], "--json").out, "show")
    assert program["failure"]["kind"] == "behind"
    assert [cost is None for cost in program["costs"]] == [False] * 16 + [True] * 48


def test_a_run_without_a_selection_set_says_so(preceptor: Shell) -> None:
    done = preceptor("run", *ALONE, "--llm", WRITER, "--option", "generations=1")
    assert "chosen on the design set alone: there is no selection set" in done.out
    told = preceptor("run", *ALONE, "--estimate").out
    assert "winner: the best on design; there is no selection set" in told
    told = preceptor("run", "jssp", "--estimate").out
    assert "winner: chosen on 128 others of selection" in told
