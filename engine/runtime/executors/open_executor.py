"""From a setting's word to the executor that it stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.domain.specs.settings import DASK, LOCAL
from engine.runtime.executors.cluster import Cluster
from engine.runtime.executors.executor import Local

if TYPE_CHECKING:
    from engine.domain.specs.settings import Settings
    from engine.runtime.executors.executor import Executor


def open_executor(settings: Settings) -> Executor:
    """What settings name as their executor; nothing starts before the `async with` block."""
    if settings.executor == LOCAL:
        return Local(settings.eval_concurrency)
    address = settings.executor.removeprefix(DASK)
    return Cluster(address, settings.eval_concurrency, settings.outage_seconds)
