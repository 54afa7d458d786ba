"""A store with one small study: two methods, two seeds, what their programs reached elsewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from engine.domain.events import Event, Note, read_fact
from engine.domain.records import BEST_KNOWN, CallKey, Measurement
from engine.domain.specs.study import StudySpec, Task
from engine.domain.values import Candidate, DiagnosticsRow, Evaluation, Reply, Request, Usage
from engine.store.store import Store
from problems import ProblemRef
from tests.engine.builders import candidate

SEED = candidate(0, 9.0, 0.25)
CHILD = replace(candidate(1, 7.5, 0.5, generation=1, parents=("p0000",)), slot=0, operator="s")
WORSE = replace(candidate(2, 8.0, 0.25, generation=1), slot=1, operator="p")
STUDY = 1
"""Its number; its runs are 1 and 2 by `ours`, 3 and 4 by `eoh`, with the seeds 3 and 4."""


def build(db: Path, problem: str = "tests/toy") -> None:
    """Write it to a file: run 1 has made a seed and two children, the others nothing."""
    spec = StudySpec("small", (Task(ProblemRef(problem)),), ("ours", "eoh"), (3, 4))
    with Store(db) as store:
        study = store.jobs.create_study(spec)
        for place, one in enumerate(spec.runs()):
            store.study_log.enlist(study, place, one)
        for made in (SEED, CHILD, WORSE):
            _make(store, made)
        store.search_log.record_events(1, [Event(Note("hint", "nothing new"))])
        store.search_log.close_generation(1, 1, ["p0001", "p0002"], "digest", "p0001")
        for key, found in enumerate(FOUND):
            store.study_log.record_measurement(study, str(key), found)


def _make(store: Store, made: Candidate) -> None:
    log = store.search_log
    if made.generation:
        call = CallKey(1, "program", made.generation, made.slot)
        log.record_sent(call, Request("program", "s", (), ()))
        log.record_done(call, Reply("", usage=Usage(30, 12, 0.25)))
    found = Evaluation(made.cost, (made.cost,), ((0, 1),), None, 2.0)
    log.record_evaluation(1, made.id, found, program=made.program.hash, design="", evaluator="")
    log.record_diagnostics(1, made.id, DiagnosticsRow(made.diagnostics))
    log.record_candidate(1, made, made.id, made.id)
    told = read_fact("candidate", {"program": made.id, "cost": made.cost})
    log.record_events(1, [Event(told, made.generation, made.slot)])


def _reached(run: int, method: str, *costs: float | None) -> Measurement:
    code = CHILD.program.hash if run == 1 else f"hash of {run}"
    return Measurement("toy", "far", code, "program", costs, 0.5, "", (), run, method)


FOUND = (
    Measurement("toy", "far", BEST_KNOWN, "reference", (4.0, 6.0), None),
    Measurement("toy", "far", "shortest", "rule", (8.0, 9.0), 0.25),
    _reached(1, "ours", 5.0, 7.0),
    _reached(2, "ours", 6.0, 7.0),
    _reached(3, "eoh", 6.0, 8.0),
    _reached(4, "eoh", 6.0, None),
)
