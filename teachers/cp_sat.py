"""The job shop as a model of CP-SAT."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from problems.jssp.sets.data import Instance

INSTALL = "pip install 'preceptor[reference]'"
"""What brings CP-SAT."""


@dataclass(frozen=True, slots=True)
class ShopModel:
    """A shop for CP-SAT, to be minimised.

    `starts[job, operation]` is a variable, or the start of an operation that is placed.
    """

    model: Any
    makespan: Any
    starts: Mapping[tuple[int, int], Any]


def is_installed() -> bool:
    """Whether CP-SAT can be imported; it takes the extra `reference`."""
    return importlib.util.find_spec("ortools") is not None


def build_model(
    shop: Instance, least: int, most: int, placed: Mapping[tuple[int, int], int]
) -> ShopModel:
    """The shop with a makespan from `least` to `most`; `placed` operations keep their starts."""
    from ortools.sat.python import cp_model

    model: Any = cp_model.CpModel()
    makespan = model.new_int_var(least, most, "makespan")
    starts: dict[tuple[int, int], Any] = {}
    lines: list[list[Any]] = [[] for _ in range(shop.machine_count)]
    for job, durations in enumerate(shop.durations):
        for index, duration in enumerate(durations):
            known = placed.get((job, index))
            start = starts[job, index] = model.new_int_var(0, most, "") if known is None else known
            interval = model.new_fixed_size_interval_var(start, duration, "")
            lines[shop.machines[job][index]].append(interval)
            model.add(makespan >= start + duration)
            if index and known is None:
                model.add(start >= starts[job, index - 1] + durations[index - 1])
    for line in lines:
        model.add_no_overlap(line)
    model.minimize(makespan)
    return ShopModel(model, makespan, starts)


def new_solver(limit: float) -> Any:
    """CP-SAT with one worker and a fixed seed; the limit is deterministic work, not seconds."""
    from ortools.sat.python import cp_model

    solver: Any = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    solver.parameters.max_deterministic_time = limit
    return solver
