"""A Dask cluster as an executor, and the choice of an executor by a setting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.domain.specs.settings import DASK, LOCAL
from engine.runtime.executors.connection import Connection
from engine.runtime.executors.executor import Local
from engine.runtime.executors.remote import RemoteEvaluations, RemoteVerdicts

if TYPE_CHECKING:
    from engine.diagnosis.teacher_process import TeacherSpec
    from engine.domain.specs.settings import Settings
    from engine.evaluate.pool import Limits
    from engine.runtime.executors.executor import Executor
    from problems import ProblemRef


class Cluster(Connection):
    """The scheduler at an address and its workers, asked from one event loop."""

    def evaluations(self, problem: ProblemRef, limits: Limits) -> RemoteEvaluations:
        """Evaluations by the workers, which have the problem as it is here."""
        return RemoteEvaluations(self, problem, limits)

    def verdicts(self, spec: TeacherSpec) -> RemoteVerdicts:
        """Those of the workers, which have the weights that lie here."""
        return RemoteVerdicts(self, spec, Local(1).verdicts(spec))


def open_executor(settings: Settings) -> Executor:
    """The executor that settings name; nothing starts before its `async with` block."""
    if settings.executor == LOCAL:
        return Local(settings.eval_concurrency)
    address = settings.executor.removeprefix(DASK)
    return Cluster(address, settings.eval_concurrency, settings.outage_seconds)
