"""Runs of the baselines in a real store: calls as counted, resumed and forked to the same end."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from engine.domain.specs.settings import Caps, RunSpec, Settings
from engine.runtime.run import run_booked
from engine.search.methods.method_file import load_method
from engine.store.store import Store
from problems import ProblemRef
from problems.errors import RunMismatch

ROOT = Path(__file__).parents[3]
SPEC = RunSpec(
    ProblemRef(str(ROOT / "tests/toy")),
    writer=f"{ROOT / 'tests/scripted.py'}:Scripted",
    settings=Settings(generations=2, eval_concurrency=2, eval_seconds=10),
)
REEVO = replace(SPEC, method="reevo", settings=replace(SPEC.settings, calls=20))

Essence = list[tuple[str, str, float | None]]


def drive(store: Store, run: int) -> str:
    """Let a run go to its end in this process; returns its state."""
    return asyncio.run(run_booked(store, run, {}))


def population(store: Store, run: int) -> Essence:
    """The survivors, as far as two runs must agree."""
    return [(c.id, c.program.hash, c.cost) for c in store.population(run)]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Essence, list[str]]:
    """Survivors and briefs of a ReEvo run of twenty calls that nobody disturbed."""
    with Store(tmp_path_factory.mktemp("undisturbed") / "runs.db") as store:
        run = store.jobs.create_run(REEVO)
        assert drive(store, run) == "done"
        assert len(store.calls(run)) == 20
        return population(store, run), [row.brief.text for row in store.briefs(run)]


@pytest.mark.parametrize(("method", "calls"), [("ours", 6), ("eoh", 5), ("reevo", 9)])
def test_a_recorded_generation_has_the_calls_that_the_design_counts(
    tmp_path: Path, method: str, calls: int
) -> None:
    teacher = f"program:{ROOT / 'tests/toy/teacher.py'}" if method == "ours" else ""
    with Store(tmp_path / "runs.db") as store:
        run = store.jobs.create_run(replace(SPEC, method=method, teacher=teacher))
        assert drive(store, run) == "done"
        first = [call.key for call in store.calls(run) if call.key.attempt == 0]
        assert Counter(key.generation for key in first) == {1: calls, 2: calls}
        slots = [row.slot for row in store.briefs(run) if row.generation == 2]
        assert slots == ([] if method == "eoh" else [0, 1, 2, 3, 4])


def test_a_killed_reevo_run_resumes_to_the_same_population_and_briefs(
    undisturbed: tuple[Essence, list[str]], tmp_path: Path
) -> None:
    db = tmp_path / "runs.db"
    with Store(db) as store:
        run = store.jobs.create_run(REEVO)
    killer = [
        sys.executable,
        "-m",
        "tests.engine.runtime.killer",
        str(db),
        str(run),
        "answer",
        "16",
    ]
    assert subprocess.run(killer, input="{}\n", text=True, cwd=ROOT).returncode == -9
    with Store(db) as store:
        assert drive(store, run) == "done"
        briefs = [row.brief.text for row in store.briefs(run)]
        assert (population(store, run), briefs) == undisturbed
        assert len(store.calls(run)) == 20


def test_a_run_whose_method_has_changed_does_not_go_on(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('name = "mine"\nteacher = false\n[[steps]]\noperators = ["e1"]\n')
    with Store(tmp_path / "runs.db") as store:
        run = store.jobs.create_run(load_method(replace(SPEC, method=str(file))))
        file.write_text(file.read_text().replace("e1", "m1"))
        with pytest.raises(RunMismatch, match=r"mine.toml no longer says"):
            drive(store, run)
        file.unlink()
        assert drive(store, run) == "done"


def test_a_fork_counts_what_it_inherited_and_remembers_what_was_learnt(
    undisturbed: tuple[Essence, list[str]], tmp_path: Path
) -> None:
    with Store(tmp_path / "runs.db") as store:
        source = store.jobs.create_run(replace(REEVO, caps=Caps(calls=9)))
        assert drive(store, source) == "budget"
        fork = store.jobs.create_run(REEVO, forked_from=source)
        assert drive(store, fork) == "done"
        assert len(store.calls(fork)) == 11
        briefs = [row.brief.text for row in store.briefs(fork)]
        assert (population(store, fork), briefs) == undisturbed
