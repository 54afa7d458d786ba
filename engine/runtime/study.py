"""The engine of a study: the runs of a problem side by side, then their winners on held-out sets.

`python -P -m engine.runtime.study DB STUDY` is the process: one per study, in its own session.
Resuming is carrying it out again: runs that ended stay as they are, the others continue where they
stood, measurements taken before are not taken again.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import TypeVar

from engine.diagnosis.teacher_process import SHUFFLED
from engine.domain.concurrency import together
from engine.domain.names import name_variant
from engine.domain.records import RunRow, whose_code
from engine.domain.specs.settings import Caps, RunSpec
from engine.domain.specs.study import Task
from engine.domain.status import Job, State
from engine.evaluate.pool import Limits
from engine.llm.openai.secret import Secret
from engine.runtime import provenance
from engine.runtime.budget import StudyBudget
from engine.runtime.executors.executor import open_executor
from engine.runtime.job import Ending, Halted, attended, carry_out, wait_for_store
from engine.runtime.launch import serve
from engine.runtime.measure.held_out import Measurer, benchmark_sets, list_solvers
from engine.runtime.measure.solvers import SolverResources
from engine.runtime.resources import RunResources
from engine.runtime.run import run_with
from engine.store.reader import liveness, status
from engine.store.store import Store
from problems.errors import ClusterLost, PreceptorError, RunMismatch, StoreBlocked

Answer = TypeVar("Answer")

FINISHED = ("done", "budget")
"""States in which a run of a study has nothing left to do."""


async def carry_out_study(store: Store, study: int, secrets: Mapping[str, Secret]) -> State:
    """Carry a booked study to its end, or to the halt it is told; returns its state.

    Raises StoreError while another living engine hosts it, RunMismatch when its code changed.
    """

    async def work() -> Ending:
        return await StudyRunner(store, study, secrets).work()

    return await carry_out(store, Job("study", study), work)


def refuse_mixture(store: Store, study: int) -> None:
    """Runs of one study compare only when one code made them all. Raises RunMismatch."""
    planned = store.study(study).spec.runs()
    begun = store.study_runs(study)
    if len(begun) == len(planned) and all(run.state in FINISHED for run in begun.values()):
        return
    for run in begun.values():
        if not provenance.is_comparable(run.provenance.code):
            raise RunMismatch(
                f"study {study} was begun by an older Preceptor, which identified code "
                "differently; begin it anew with: preceptor study FILE --new"
            )
        now = provenance.code_version(run.spec.problem)
        if run.provenance.code not in ("", now):
            whose = whose_code(run.provenance.code, now)
            raise RunMismatch(
                f"study {study}: {whose} changed since its first runs; "
                "begin it anew with: preceptor study FILE --new"
            )


def name_mixture(runs: Iterable[RunRow]) -> list[str]:
    """What runs of one problem should share and do not, in words: such runs do not compare.

    Arms may have teachers of their own, and a placebo's weights are those of its teacher.
    """
    shared: dict[tuple[str, str], set[str]] = {}
    for run in runs:
        problem = name_variant(run.spec.problem)
        made = run.provenance
        weights = f"weights of {run.spec.teacher}"
        shared.setdefault((problem, "design sets"), set()).add(made.design)
        shared.setdefault((problem, weights), set()).add(made.fingerprint.removeprefix(SHUFFLED))
    differing = [place for place, values in shared.items() if len(values - {""}) > 1]
    return [f"runs of {problem} saw different {what}" for problem, what in differing]


class StudyRunner:
    """One study under way in this process."""

    def __init__(self, store: Store, study: int, secrets: Mapping[str, Secret]) -> None:
        self._store = store
        self._study = study
        self._secrets = secrets
        row = store.study(study)
        self._spec = row.spec
        spent = store.spent(study)
        self._budget = StudyBudget.opened(row.spec.budget, self.halt, spent, row.seconds)
        self._places = asyncio.Semaphore(self._spec.side_by_side)
        self._halted: Halted | None = None
        self._resources: RunResources | None = None
        self._measuring: asyncio.Task[None] | None = None
        self._troubles: list[str] = []

    async def work(self) -> Ending:
        """Problem by problem: search, then measure. Returns how the study ends, and why."""
        async with attended(self._store, Job("study", self._study), self):
            refuse_mixture(self._store, self._study)
            with suppress(Halted):  # while it waited for space; the ending says so
                for task in self._spec.tasks:
                    try:
                        await self._search(task)
                        if self._halted is None and not self._unfinished_runs():
                            await self.measure(task)
                    except ClusterLost as lost:
                        self.halt(Halted("paused", str(lost)))
            return self._ending()

    async def _search(self, task: Task) -> None:
        """All runs of a problem that are not finished yet."""
        wanted = [(k, s) for k, s in enumerate(self._spec.runs()) if s.problem == task.problem]
        begun = self._store.study_runs(self._study)
        left = [(k, s) for k, s in wanted if k not in begun or begun[k].state not in FINISHED]
        if not left or self._halted is not None:
            return
        async with RunResources(task.problem, task.settings, self._budget) as self._resources:
            await together(self._run(place, spec) for place, spec in left)
        self._resources = None

    async def _run(self, place: int, spec: RunSpec) -> None:
        """One run, in its turn; however it ends, the study continues."""
        async with self._places:
            assert self._resources is not None
            if self._halted is not None:
                return
            run = await self._write(lambda: self._store.study_log.enlist(self._study, place, spec))
            if liveness(self._store.run(run)) != "gone":
                return  # somebody resumed it in an engine of its own
            await self._carry_out(run, self._resources)

    async def _carry_out(self, run: int, resources: RunResources) -> None:
        """A run to its end, begun again each time that there was no space to begin it."""
        while True:
            try:
                await run_with(self._store, run, resources, self._secrets)
            except StoreBlocked as blocked:
                await self._wait_for_store(blocked)
                continue
            except PreceptorError:
                pass  # the run has failed and says why
            except Exception:  # a bug that ends one run need not end the others
                traceback.print_exc()
            return

    async def _write(self, write: Callable[[], Answer]) -> Answer:
        """What `write` returns, once there is space for it. Raises Halted."""
        while True:
            try:
                return write()
            except StoreBlocked as blocked:
                await self._wait_for_store(blocked)

    async def _wait_for_store(self, blocked: StoreBlocked) -> None:
        job = Job("study", self._study)
        await wait_for_store(self._store, job, blocked, lambda: self._halted)

    async def measure(self, task: Task) -> None:
        """Everybody on all benchmark sets, unless the study is halted meanwhile."""
        settings = task.settings
        limits = Limits(self._spec.measure_seconds, settings.memory_mb)
        executor = open_executor(settings)
        async with SolverResources(task.problem, limits, executor) as resources:
            measurer = Measurer(
                self._store, self._study, resources, limits, self._tell_measured, self._write
            )
            row = self._store.study(self._study)
            solvers = list_solvers(self._store, row, task, resources.problem)
            sets = task.sets or benchmark_sets(resources.problem)[0]
            if self._halted is not None:
                return
            self._measuring = asyncio.create_task(measurer.examine(solvers, sets))
            await asyncio.wait([self._measuring])
        if not self._measuring.cancelled():
            self._measuring.result()
        self._troubles += dict.fromkeys(measurer.troubles)

    def _tell_measured(self, done: int, todo: int) -> None:
        if todo:
            job = Job("study", self._study)
            with suppress(StoreBlocked):  # what was measured is kept before it is reported
                self._store.jobs.set_reason(job, f"measured {done} of {todo}")

    def halt(self, halted: Halted) -> None:
        """Begin nothing new; what is being measured is given up."""
        self._halted = halted
        if self._resources is not None:
            self._resources.halt(halted)
        if self._measuring is not None and not self._measuring.done():
            self._measuring.cancel()
            for teacher in multiprocessing.active_children():
                teacher.kill()  # the end of a whole set would be waited for

    def probe_now(self) -> None:
        """Let runs that wait for a provider try again at once, under a budget raised meanwhile."""
        self._budget.caps = self._store.study(self._study).spec.budget
        if self._resources is not None:
            self._resources.probe_now()

    def set_caps(self, caps: Caps) -> None:
        """Nothing: caps are those of each run."""

    def _unfinished_runs(self) -> list[RunRow]:
        """Runs that wait for somebody to resume them."""
        runs = self._store.study_runs(self._study).values()
        return [run for run in runs if run.state not in (*FINISHED, "failed")]

    def _ending(self) -> Ending:
        if self._halted is not None:
            return self._halted.state, self._halted.reason
        if unfinished := self._unfinished_runs():
            return "paused", f"{_name(unfinished)}; {unfinished[0].reason}"
        runs = self._store.study_runs(self._study).values()
        failed = [run for run in runs if run.state == "failed"]
        reasons = [*([_name(failed)] if failed else []), *name_mixture(runs), *self._troubles]
        return ("failed", "; ".join(reasons)) if reasons else ("done", "")


def _name(runs: list[RunRow]) -> str:
    """`run 3 paused, run 5 failed`."""
    return ", ".join(f"run {run.number} {status(run)}" for run in runs)


if __name__ == "__main__":
    sys.exit(serve(carry_out_study, "study"))
