"""Solutions to learn from: found by a solver on all cores, and kept in the user's cache folder."""

from __future__ import annotations

import multiprocessing
import os
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from platformdirs import user_cache_path

from teachers.training.progress import TrainingProgress
from teachers.weights import replace_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from _typeshed import DataclassInstance

    D = TypeVar("D", bound=DataclassInstance)

Task = TypeVar("Task")
Solution = TypeVar("Solution")


def load_or_make(name: str, kind: type[D], make: Callable[[], D]) -> D:
    """The arrays, a dataclass of the `kind`, kept under a name, made when they are not there."""
    file = user_cache_path("preceptor") / f"{name}.npz"
    if not file.exists():
        with replace_file(file) as handle:
            np.savez_compressed(handle, **asdict(make()))
    with np.load(file) as arrays:
        return kind(**arrays)


def solve_in_parallel(
    solve: Callable[[Task], Solution],
    tasks: Sequence[Task],
    stage: str,
    report: Callable[[TrainingProgress], None],
) -> list[Solution]:
    """The solutions of all tasks, in order; one process a core, a report after each."""
    started = time.monotonic()
    found = list[Solution]()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(len(tasks), os.cpu_count() or 1), context) as processes:
        for solution in processes.map(solve, tasks):
            found.append(solution)
            done = len(found) / len(tasks)
            left = (time.monotonic() - started) * (1 / done - 1)
            report(TrainingProgress(stage, done, left))
    return found
