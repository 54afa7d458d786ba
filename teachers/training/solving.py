"""Solutions to learn from: found by a solver on all cores, and kept in the user's cache folder.

They are kept piece by piece as they are found, so an interrupt loses no more than one for each
core, and a training may begin with what is there.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from platformdirs import user_cache_path

from teachers.training.measure import TrainingProgress
from teachers.weights import replace_file

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    D = TypeVar("D", bound=DataclassInstance)

    Report = Callable[[TrainingProgress], None]

Task = TypeVar("Task")
Solution = TypeVar("Solution")


def solve_in_pieces(
    name: str,
    kind: type[D],
    solve: Callable[[Task], D],
    tasks: Sequence[Task],
    stage: str,
    report: Report,
    until: float = math.inf,
    require: Callable[[], None] = lambda: None,
) -> D:
    """The solutions of all tasks, dataclasses of arrays of a `kind`, joined in their order.

    Those kept under the name are read, the others found now; `require` is called before. After
    `until`, in seconds of `time.monotonic`, no task is begun, but for the first of all: what is
    there then is joined.
    """
    whole = user_cache_path("preceptor") / f"{name}.npz"
    if whole.exists():
        return _read(kind, whole)
    pieces = [whole.with_suffix("") / f"{index:05d}.npz" for index in range(len(tasks))]
    missing = [index for index, file in enumerate(pieces) if not file.exists()]
    if missing and (time.monotonic() < until or len(missing) == len(tasks)):
        require()
        kept = len(tasks) - len(missing)
        rest = [tasks[index] for index in missing]
        for place, piece in solve_in_parallel(solve, rest, stage, report, until, kept):
            _write(piece, pieces[missing[place]])
    found = _join(kind, [_read(kind, file) for file in pieces if file.exists()])
    if all(file.exists() for file in pieces):
        _write(found, whole)
        shutil.rmtree(whole.with_suffix(""))
    return found


def share_out(until: float, parts: int) -> float:
    """When the first of some parts has to end, so that each may take as long."""
    return until if math.isinf(until) else time.monotonic() + (until - time.monotonic()) / parts


def solve_in_parallel(
    solve: Callable[[Task], Solution],
    tasks: Sequence[Task],
    stage: str,
    report: Report,
    until: float = math.inf,
    kept: int = 0,
) -> Iterator[tuple[int, Solution]]:
    """The number and the solution of each task as it is found; one process a core.

    No task but the first is begun after `until`. A report follows each; `kept` were found before.
    """
    started = time.monotonic()
    waiting = list(enumerate(tasks))[::-1]
    running = dict[Future[Solution], int]()
    cores = min(len(tasks), os.cpu_count() or 1)
    found = 0
    with ProcessPoolExecutor(cores, multiprocessing.get_context("spawn")) as processes:
        while running or waiting:
            while waiting and len(running) < cores:
                if (found or running) and time.monotonic() >= until:
                    waiting.clear()
                    break
                number, task = waiting.pop()
                running[processes.submit(solve, task)] = number
            for done in wait(running, return_when=FIRST_COMPLETED).done if running else ():
                found += 1
                yield running.pop(done), done.result()
                report(_progress(stage, started, until, found, len(tasks), kept))


def _progress(
    stage: str, started: float, until: float, found: int, count: int, kept: int
) -> TrainingProgress:
    """How much is found of all, and how long it will take, at most until the time is over."""
    now = time.monotonic()
    left = (now - started) * (count / found - 1)
    return TrainingProgress(stage, (kept + found) / (kept + count), max(0, min(left, until - now)))


def _read(kind: type[D], file: Path) -> D:
    with np.load(file) as arrays:
        return kind(**arrays)


def _write(solved: DataclassInstance, file: Path) -> None:
    with replace_file(file) as handle:
        np.savez_compressed(handle, **asdict(solved))


def _join(kind: type[D], pieces: Sequence[D]) -> D:
    columns = zip(*(asdict(piece).values() for piece in pieces), strict=True)
    return kind(*(np.concatenate(column) for column in columns))
