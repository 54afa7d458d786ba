"""What a run finds out from its record alone, without running a program again."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import problems
from engine.diagnosis.leftover import find_leftover
from engine.runtime.ledger import Ledger, Parts, Versions
from engine.search.methods.methods import PRECEPTOR
from engine.store.reader import Reader
from engine.store.store import Store
from tests.engine.builders import import_demo

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from engine.domain.values import Candidate, Leftover

NOBODY = cast("Any", None)
"""In the place of who would answer, evaluate or teach: none of them is asked."""


def test_what_solutions_leave_to_gain_is_found_once_from_recorded_rollouts(tmp_path: Path) -> None:
    db = tmp_path / "runs.db"
    import_demo(db)
    problem = problems.load("jssp")
    instances = problem.load("design-64")
    with Reader(db) as reader:
        spec = reader.run(1).spec
        known = list(reader.candidates(1))
        best = min((c for c in known if c.cost is not None), key=lambda c: c.cost or 0.0)
        unknown = replace(best, id="p9999")
        evaluation = reader.evaluation_of(1, best.id)
    assert evaluation is not None

    async def ask(*candidates: Candidate) -> list[Leftover | None]:
        slots = asyncio.Semaphore(1)
        parts = Parts(NOBODY, NOBODY, NOBODY, (NOBODY,), slots, defaultdict(asyncio.Lock))
        with Store(db) as store:
            versions = Versions("", "design-64", "", ("",), "")
            ledger = Ledger(store, 1, spec, problem, PRECEPTOR, parts, versions, instances)
            return [await ledger.leftover(candidate) for candidate in candidates]

    first, again, none = asyncio.run(ask(best, best, unknown))
    assert first is not None and first.instances == 64
    assert first is again
    assert first == find_leftover(problem, instances, evaluation)
    assert none is None
