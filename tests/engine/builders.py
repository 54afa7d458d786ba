"""Short ways to make the values that engine tests talk about."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import problems
from engine.domain.values import Candidate, Diagnostics, Failure, Program
from engine.runtime.provenance import digest
from engine.store.transfer import import_run
from problems import ProblemRef

DEMO = Path(__file__).parents[2] / "docs/demo/jssp-by-hand.run"


def program(code: str = "def score(item, state):\n    return 0.0\n", idea: str = "") -> Program:
    """A program whose hash is that of its text."""
    return Program(idea, code, hashlib.sha256(code.encode()).hexdigest())


def diagnostics(agreement: float, value: float | None = None) -> Diagnostics:
    """Diagnostics with a given agreement over 100 states."""
    return Diagnostics(agreement, 0.1, 0.01, value, value, 100, 0, 0)


def candidate(
    slot: int,
    cost: float | None,
    agreement: float | None = None,
    generation: int = 0,
    failure: Failure | None = None,
    costs: tuple[float, ...] = (),
    parents: tuple[str, ...] = (),
) -> Candidate:
    """A candidate named after its slot, with its own program."""
    return Candidate(
        id=f"p{slot:04d}",
        program=program(f"def score(item, state):\n    return {slot}\n"),
        operator="seed",
        generation=generation,
        slot=slot,
        cost=cost,
        behaviour=f"behaviour {slot}",
        diagnostics=None if agreement is None else diagnostics(agreement),
        failure=failure,
        costs=costs,
        parents=parents,
    )


def import_gone(db: Path) -> None:
    """The run that ships, as one of a variant of the job shop that was removed."""
    import_run(db, DEMO)
    with closing(sqlite3.connect(db)) as store, store:
        (text,) = store.execute("SELECT spec FROM runs").fetchone()
        spec = json.loads(text)
        spec["problem"]["options"] = [["state", "plan"]]
        store.execute("UPDATE runs SET spec = ?", (json.dumps(spec),))


def import_demo(db: Path) -> None:
    """The run that ships as run 1, with the name that its design set has now."""
    import_run(db, DEMO)
    instances = problems.load(ProblemRef("jssp")).load("design-64")
    with closing(sqlite3.connect(db)) as store, store:
        (text,) = store.execute("SELECT spec FROM runs").fetchone()
        spec = json.loads(text)
        spec["settings"]["design"] = "design-64"
        row = (json.dumps(spec), digest(instances))
        store.execute("UPDATE runs SET spec = ?, design = ?", row)
