"""Every problem is searched with its teacher, killed, resumed, and its winner taken home."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from engine.api.resolve import RunRequest
from engine.api.run import book_run
from tests.conftest import ROOT, Shell
from tests.engine.runtime.test_resume import drive
from tests.tui.schemas import read_lines

KILLED = ("close", "2")
"""The engine dies as it closes its second generation, the first after the seeds."""


@pytest.mark.parametrize(
    ("problem", "design", "teacher", "best", "cost", "agreement", "alone"),
    [
        ("jssp", "random-6x6", "offline-l2d", "p0000", 560.87, 0.3125, "36 actions, cost 627"),
        ("tsp", "tsp20", "lehd-tsp", "p0012", 4.206485, 0.75, "18 actions, cost 3.6679"),
        ("cvrp", "random-20", "lehd-cvrp", "p0007", 5.377571, 0.8125, "24 actions, cost 6.0992"),
        ("maxcut", "ba20w", "eco-dqn", "p0011", -16.48, 0.328, "40 actions, cost -15"),
    ],
    ids=("jssp", "tsp", "cvrp", "maxcut"),
)
def test_a_search_that_is_killed_and_resumed_ends_in_the_program_that_it_exports(
    preceptor: Shell,
    problem: str,
    design: str,
    teacher: str,
    best: str,
    cost: float,
    agreement: float,
    alone: str,
) -> None:
    options = {"generations": 2, "children": 3, "population": 4, "states": 64}
    request = RunRequest(
        problem,
        method="ours",
        teacher=teacher,
        design=design,
        options={**options, "selection": "none"},
    )
    run = book_run(request)
    assert drive(run.store.resolve(), run.number, *KILLED) == -9
    assert preceptor("resume", "1", "--headless").code == 0
    shown = json.loads(preceptor("show", "1", "--json").out)
    winner = shown["best"]
    assert (winner["program"], winner["cost"]) == (best, pytest.approx(cost, abs=5e-7))
    assert winner["agreement"] == pytest.approx(agreement, abs=5e-4)
    assert shown["totals"]["calls"] == 8
    assert preceptor("export", "1", "-o", "winner.py").code == 0
    taken = subprocess.run(
        [sys.executable, "-I", Path("winner.py").resolve()], capture_output=True, text=True
    )
    assert alone in taken.stdout
    assert taken.stdout.rstrip().endswith("as recorded")


def test_a_search_for_whole_tours_ends_in_a_file_that_solves_alone(preceptor: Shell) -> None:
    words = ("--design", "tsp20", "--option", "generations=2", "--option", "selection=none")
    assert preceptor("run", "tsp", "--kind", "whole", *words, "--headless").code == 0
    shown = json.loads(preceptor("show", "1", "--json").out)
    assert shown["settings"]["problem_options"] == {"kind": "whole"}
    best = shown["best"]
    assert (best["program"], best["cost"]) == ("p0011", pytest.approx(3.865244, abs=5e-7))
    assert "tsp whole" in preceptor("runs").out
    assert preceptor("export", "1", "-o", "tour.py").code == 0
    taken = subprocess.run(
        [sys.executable, "-I", Path("tour.py").resolve()], capture_output=True, text=True
    )
    assert taken.stdout.startswith("solve: 20 numbers, cost 3.711")
    assert taken.stdout.rstrip().endswith("as recorded")


def test_the_main_job_ends_in_the_winner_that_the_readme_names(preceptor: Shell) -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    words = re.search(r"run jssp --method preceptor.*", (ROOT / "Makefile").read_text("utf-8"))
    assert words is not None
    done = preceptor(*words[0].split(), "--headless", "--json")
    *_, result = read_lines(done.out, "run")
    best = result["best"]
    assert (f"{best['cost']:.2f}", f"{best['selection_cost']:.2f}") == ("1887.58", "1903.18")
    assert "1887.58" in text
    assert "1903.18" in text
