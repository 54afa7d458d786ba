"""Where the long work of a run is done: evaluations of programs, and a teacher's verdicts.

A run asks its executor for both and for nothing else that takes long. A question is named by its
content and has the same answer wherever and however often it is asked, so that an executor may ask
it again; the engine alone writes the store.
"""

from __future__ import annotations

import os
from typing import Self

from engine.diagnosis.teacher_pool import TeacherPool
from engine.diagnosis.teacher_process import TeacherSpec
from engine.domain.concurrency import count_cores
from engine.domain.specs.settings import DASK, LOCAL, Settings
from engine.evaluate.pool import Evaluator, Limits
from engine.runtime.executors.connection import Connection
from engine.runtime.executors.remote import RemoteEvaluations, RemoteVerdicts
from problems import ProblemRef

TEACHER_BYTES = 10**9
"""Memory that a teacher's process may take: torch, weights, the states that are kept."""


class Local:
    """This machine, with processes of this one, `workers` at a time."""

    progress = ""
    """The work of each worker: there are none to report."""

    def __init__(self, workers: int = 0) -> None:
        """0: as many as there are cores."""
        self._workers = workers or count_cores()

    async def __aenter__(self) -> Self:
        """Itself."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """Nothing is held."""

    def evaluations(self, problem: ProblemRef, limits: Limits) -> Evaluator:
        """In the sandbox here; to be asked for before this process starts threads.

        Raises UserError for a problem that cannot be loaded, WorldError when processes fail.
        """
        return Evaluator.start(problem, limits, self._workers)

    def verdicts(self, spec: TeacherSpec) -> TeacherPool:
        """In processes here: one a core as far as there is memory for it."""
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        return TeacherPool(spec, max(1, min(self._workers, free // TEACHER_BYTES)))


class Cluster(Connection):
    """A Dask scheduler and its workers, asked from one event loop."""

    def evaluations(self, problem: ProblemRef, limits: Limits) -> RemoteEvaluations:
        """Evaluations by the workers, which have the problem as it is here."""
        return RemoteEvaluations(self, problem, limits)

    def verdicts(self, spec: TeacherSpec) -> RemoteVerdicts:
        """Those of the workers, which have the weights that lie here."""
        return RemoteVerdicts(self, spec, TeacherPool(spec))


Executor = Local | Cluster
"""`async with` one of them, then ask it; what it gave is closed before it is left."""

Evaluations = Evaluator | RemoteEvaluations
"""Programs of one problem, evaluated within its limits; `Evaluator` documents each method."""

Verdicts = TeacherPool | RemoteVerdicts
"""One teacher, asked about several programs at once."""


def open_executor(settings: Settings) -> Executor:
    """The executor that settings name; nothing starts before its `async with` block."""
    if settings.executor == LOCAL:
        return Local(settings.eval_concurrency)
    address = settings.executor.removeprefix(DASK)
    return Cluster(address, settings.eval_concurrency, settings.outage_seconds)
