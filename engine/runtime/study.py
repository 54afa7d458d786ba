"""The engine of a study: its runs a few at a time, then what their winners reach on held-out sets.

`python -P -m engine.runtime.study DB STUDY` is the process: one per study, in its own session.
Resuming is carrying it out again: runs that ended stay as they are, the others go on where they
stood, measurements taken before are not taken again.
"""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
import os
import sys
import traceback
from typing import TYPE_CHECKING

from engine.domain.concurrency import together
from engine.evaluate.pool import Limits
from engine.runtime import control, provenance
from engine.runtime.launch import serve
from engine.runtime.llm_calls import Halted
from engine.runtime.measure.held_out import Measurer, benchmark_sets, list_solvers
from engine.runtime.measure.solvers import SolverResources
from engine.runtime.resources import RunResources
from engine.runtime.run import BEAT, LISTEN, run_with
from engine.store import process_identity as identity
from engine.store.reader import liveness, status
from problems.errors import PreceptorError, RunMismatch, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.domain.records import RunRow
    from engine.domain.specs.settings import RunSpec
    from engine.domain.specs.study import Task
    from engine.domain.status import State, Status
    from engine.llm.openai.secret import Secret
    from engine.store.store import Store

FINISHED = ("done", "budget")
"""States in which a run of a study has nothing left to do."""


async def carry_out_study(store: Store, study: int, secrets: Mapping[str, Secret]) -> State:
    """Carry a booked study to its end, or to the halt it is told; returns its state.

    Raises StoreError while another living engine hosts it, RunMismatch when its code changed.
    """
    store.claim_study(study, identity.current())
    party = StudyRunner(store, study, secrets)
    listener = asyncio.create_task(party.attend())
    try:
        refuse_mixture(store, study)
        state, reason = await party.carry_out()
        store.beat_study(study)  # the seconds since the last heartbeat count too
        store.set_study_state(study, state, reason)
        return state
    except PreceptorError as error:
        store.set_study_state(study, "failed", str(error))
        raise
    finally:
        listener.cancel()
        store.release_study(study)


def refuse_mixture(store: Store, study: int) -> None:
    """Runs of one study compare only when one code made them all. Raises RunMismatch."""
    spec, begun = store.study(study).spec, store.study_runs(study)
    if len(begun) == len(spec.runs()) and all(run.state in FINISHED for run in begun.values()):
        return
    for run in begun.values():
        if run.provenance.code not in ("", provenance.code_version(run.spec.problem)):
            raise RunMismatch(
                f"study {study}: Preceptor's code changed since its first runs; "
                "begin it anew with: preceptor study FILE --new"
            )


def name_mixture(runs: Iterable[RunRow]) -> list[str]:
    """What runs of one problem should share and do not, in words: such runs do not compare."""
    shared: dict[tuple[str, str], set[str]] = {}
    for run in runs:
        problem, made = run.spec.problem.name, run.provenance
        shared.setdefault((problem, "design sets"), set()).add(made.design)
        shared.setdefault((problem, "weights of the teacher"), set()).add(made.fingerprint)
    differing = [place for place, values in shared.items() if len(values - {""}) > 1]
    return [f"runs of {problem} saw different {what}" for problem, what in differing]


class StudyRunner:
    """One study under way in this process."""

    def __init__(self, store: Store, study: int, secrets: Mapping[str, Secret]) -> None:
        self._store, self._study, self._secrets = store, study, secrets
        self._spec = store.study(study).spec
        self._places = asyncio.Semaphore(self._spec.at_once)
        self._halt: Halted | None = None
        self._shop: RunResources | None = None
        self._examination: asyncio.Task[None] | None = None
        self._troubles: list[str] = []

    async def carry_out(self) -> tuple[State, str]:
        """Problem by problem: search, then measure. Returns how the study ends, and why."""
        for task in self._spec.tasks:
            await self._search(task)
            if self._halt is None and not self._resting():
                await self.measure(task)
        return self._verdict()

    async def _search(self, task: Task) -> None:
        """All runs of a problem that are not finished yet."""
        wanted = [(k, s) for k, s in enumerate(self._spec.runs()) if s.problem == task.problem]
        begun = self._store.study_runs(self._study)
        left = [(k, s) for k, s in wanted if k not in begun or begun[k].state not in FINISHED]
        if not left or self._halt is not None:
            return
        async with RunResources(task.problem, task.settings) as self._shop:
            await together(self._run(place, spec) for place, spec in left)
        self._shop = None

    async def _run(self, place: int, spec: RunSpec) -> None:
        """One run, in its turn; however it ends, the study goes on."""
        async with self._places:
            assert self._shop is not None
            if self._halt is not None:
                return
            run = self._store.enlist(self._study, place, spec)
            if liveness(self._store.run(run)) != "gone":
                return  # somebody resumed it in an engine of its own
            try:
                await run_with(self._store, run, self._shop, self._secrets)
            except PreceptorError as error:
                self._store.set_state(run, "failed", str(error))
            except Exception as error:  # a bug that ends one run need not end the others
                traceback.print_exc()
                self._store.set_state(run, "failed", f"{type(error).__name__}: {error}")

    async def measure(self, task: Task) -> None:
        """Everybody on all benchmark sets, unless the study is halted meanwhile."""
        settings = task.settings
        limits = Limits(self._spec.measure_seconds, settings.memory_mb)
        workers = settings.eval_concurrency or os.cpu_count() or 1
        async with SolverResources(task.problem, limits, workers) as bench:
            measurer = Measurer(self._store, self._study, bench, limits, self._tell_measured)
            row, problem = self._store.study(self._study), bench.problem
            solvers = list_solvers(self._store, row, task, problem)
            sets = task.sets or benchmark_sets(problem)[0]
            if self._halt is not None:
                return
            self._examination = asyncio.create_task(measurer.examine(solvers, sets))
            await asyncio.wait([self._examination])
        if not self._examination.cancelled():
            self._examination.result()
        self._troubles += dict.fromkeys(measurer.troubles)

    @property
    def measuring(self) -> bool:
        """Whether winners and others are being measured right now."""
        return self._examination is not None and not self._examination.done()

    def _tell_measured(self, done: int, todo: int) -> None:
        if todo:
            self._store.set_study_state(self._study, "running", f"measured {done} of {todo}")

    async def attend(self) -> None:
        """Beside the work: heartbeats, commands."""
        for tick in itertools.count():
            try:
                if tick % BEAT == 0:
                    self._store.beat_study(self._study)
                self._obey()
            except StoreError as error:
                self.end(Halted("paused", str(error)))
            await asyncio.sleep(LISTEN)

    def _obey(self) -> None:
        """Carry out the commands that wait in the study's control folder."""
        place = control.of_study(self._study)
        for command in control.waiting(self._store.path, place):
            if command.kind == "pause":
                self.end(Halted("paused", "paused on request"))
            elif command.kind == "stop":
                self.end(Halted("stopped", "stopped on request"))
            elif command.kind == "resume" and self._shop is not None:
                self._shop.probe_now()
            control.discard(self._store.path, place, command)

    def end(self, halt: Halted) -> None:
        """Begin nothing new; what is being measured is given up."""
        self._halt = halt
        if self._shop is not None:
            self._shop.end(halt)
        if self._examination is not None and self.measuring:
            self._examination.cancel()
            for teacher in multiprocessing.active_children():
                teacher.kill()  # the end of a whole set would be waited for

    def _resting(self) -> list[RunRow]:
        """Runs that wait for somebody to resume them."""
        rest = (*FINISHED, "failed")
        return [r for r in self._store.study_runs(self._study).values() if r.state not in rest]

    def _verdict(self) -> tuple[State, str]:
        if self._halt is not None:
            return self._halt.state, self._halt.reason
        if resting := self._resting():
            return "paused", f"{_name(resting)}; {resting[0].reason}"
        runs = self._store.study_runs(self._study).values()
        failed = [run for run in runs if run.state == "failed"]
        reasons = [*([_name(failed)] if failed else []), *name_mixture(runs), *self._troubles]
        return ("failed", "; ".join(reasons)) if reasons else ("done", "")


def _name(runs: list[RunRow]) -> str:
    """`run 3 paused, run 5 failed`."""
    standing: list[tuple[int, Status]] = [(run.number, status(run)) for run in runs]
    return ", ".join(f"run {number} {state}" for number, state in standing)


def host_in(store: Store, study: int, secrets: Mapping[str, Secret]) -> int:
    """The engine process of a study; its exit code."""
    state = asyncio.run(carry_out_study(store, study, secrets))
    return 0 if state in ("done", "paused", "stopped") else 1


if __name__ == "__main__":
    sys.exit(serve(host_in))
