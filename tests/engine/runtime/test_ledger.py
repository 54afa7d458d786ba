"""What a run finds out from its record alone, without running a program again."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.diagnosis.queries import Diagnose
from engine.domain.checkpoint import Checkpoint
from engine.domain.specs.settings import RunSpec, Settings
from engine.domain.values import Diagnostics, DiagnosticsRow, Evaluation, Failure
from engine.runtime.job import Halted
from engine.runtime.ledger import Ledger
from engine.runtime.plan import plan
from engine.search.methods.methods import PRECEPTOR
from engine.store.store import Store
from problems import ProblemRef
from tests.engine.builders import candidate, diagnostics

NOBODY = cast("Any", None)
"""In the place of who would answer, evaluate or teach: none of them is asked."""

FORWARD, BACKWARD = tuple(range(10)), tuple(range(9, -1, -1))
ALONE = Settings(advice=0)


def solved(cost: float, *walks: tuple[int, ...], cpu: float = 0.5) -> Evaluation:
    """An evaluation of that cost on every instance."""
    return Evaluation(cost, (cost,) * len(walks), walks, None, cpu)


@dataclass
class Sandbox:
    """Gives some evaluations one after the other, and keeps the sets that it was asked about."""

    answers: Iterator[Evaluation]
    sets: list[str] = field(default_factory=list)

    async def evaluate(self, code: str, set_name: str, *_: object) -> Evaluation:
        """The next one."""
        self.sets.append(set_name)
        return next(self.answers)

    async def try_out(
        self, codes: Sequence[str], set_name: str, *_: object
    ) -> tuple[Evaluation, ...]:
        """The next evaluation, of each."""
        return tuple([await self.evaluate(code, set_name) for code in codes])


@dataclass
class Critic:
    """A teacher that always says the same."""

    own: Diagnostics = field(default_factory=lambda: diagnostics(0.25))
    asked: int = 0
    spec: Any = field(default_factory=lambda: SimpleNamespace(tries=False))

    async def ask(self, query: Diagnose) -> DiagnosticsRow:
        """The same as ever, counted."""
        self.asked += 1
        return DiagnosticsRow(self.own)


def open_ledger(
    store: Store, *answers: Evaluation, teacher: Any = NOBODY, settings: Settings = ALONE
) -> tuple[Ledger, Sandbox]:
    """The ledger of run 1, as one engine has it, and the sandbox that answers it."""
    sandbox = Sandbox(iter(answers))
    spec = RunSpec(ProblemRef("tests/toy"), settings=settings)
    if not store.runs():
        store.jobs.create_run(spec)
    planned = plan(spec, PRECEPTOR)
    planned = replace(planned, instances=planned.instances[:2], selection_set="choice")
    resources: Any = SimpleNamespace(
        evaluator=sandbox,
        call_slots=asyncio.Semaphore(1),
        key_locks=defaultdict[str, asyncio.Lock](asyncio.Lock),
    )
    place = (store, 1, planned, resources, NOBODY, NOBODY, teacher, "t")
    return Ledger(*place, larger="many"), sandbox


def test_a_program_is_timed_on_a_larger_instance_once_however_often_its_run_resumes(
    tmp_path: Path,
) -> None:
    with Store(tmp_path / "runs.db") as store:
        first, sandbox = open_ledger(store, solved(7.0, FORWARD, cpu=0.25))
        timed = asyncio.run(first.scale(candidate(1, 5.0)))
        assert timed is not None and (timed.costs, timed.cpu) == ((7.0,), 0.25)
        assert sandbox.sets == ["many"]
        resumed, nobody = open_ledger(store)
        again = asyncio.run(resumed.scale(candidate(1, 5.0)))
        assert again is not None and (again.costs, again.cpu) == ((7.0,), 0.25)
        assert nobody.sets == []


def test_what_a_teacher_said_of_a_program_stands_in_the_record_and_is_asked_once(
    tmp_path: Path,
) -> None:
    known, critic = solved(5.0, FORWARD, BACKWARD), Critic()

    async def judge(ledger: Ledger) -> None:
        found = await ledger.evaluate(candidate(1, None))
        said = await ledger.diagnose(candidate(1, None), found)
        ledger.record(replace(candidate(1, found.cost), diagnostics=said))

    with Store(tmp_path / "runs.db") as store:
        asyncio.run(judge(open_ledger(store, known, teacher=critic)[0]))
        asyncio.run(judge(open_ledger(store, teacher=critic)[0]))
        assert [(c.cost, c.agreement) for c in store.candidates(1)] == [(5.0, 0.25)]
    assert critic.asked == 1


def test_a_program_that_ends_at_a_checkpoint_says_behind_whom_and_the_record_does_not(
    tmp_path: Path,
) -> None:
    def judge(costs: Sequence[float]) -> Failure | None:
        return Failure("behind", "behind p0007")

    half = Evaluation(None, (9.0, None), (FORWARD,), Failure("behind", "behind p0007"), 0.5)
    with Store(tmp_path / "runs.db") as store:
        ledger, sandbox = open_ledger(store, half)
        found = asyncio.run(ledger.evaluate(candidate(1, None), Checkpoint(1, judge)))
        assert found.failure is not None and found.failure.message == "behind p0007"
        ledger.record(candidate(1, None))
        kept = store.evaluation_of(1, "p0001")
    assert kept is not None and kept.failure == Failure("behind", "stopped at a checkpoint")
    assert (kept.costs, sandbox.sets) == ((9.0, None), ["design"])


@pytest.mark.parametrize("state", [None, "budget", "stopped"])
def test_finalists_are_measured_once_calls_are_spent_but_not_once_a_run_was_stopped(
    state: str | None, tmp_path: Path
) -> None:
    with Store(tmp_path / "runs.db") as store:
        ledger, sandbox = open_ledger(store, solved(4.0, FORWARD, BACKWARD))
        ledger.queue.halted = None if state is None else Halted(cast("Any", state), "told so")
        if state == "stopped":
            with pytest.raises(Halted):
                asyncio.run(ledger.measure(candidate(1, 5.0)))
            assert sandbox.sets == []
        else:
            measured = [asyncio.run(ledger.measure(candidate(1, 5.0))).cost for _ in range(2)]
            assert (measured, sandbox.sets) == ([4.0, 4.0], ["choice"])
