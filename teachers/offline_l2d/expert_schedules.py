"""Expert schedules for training: own random instances, solved by CP-SAT and kept in a cache.

`Offline-LD` (van Remmerden et al. 2025) learns from CP-SAT schedules of random instances. The
limit is deterministic work, not seconds, so a busy machine finds the same schedules.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from problems.errors import UserError
from problems.jssp.instances import Instance, random_instances
from teachers.cp_sat import INSTALL, build_model, is_installed, new_solver
from teachers.training.measure import TrainingProgress
from teachers.training.solving import solve_in_pieces

FIRST_SEED = 1_000_000
"""Training instances come from `RandomState(FIRST_SEED + seed)`, far from every benchmark's."""


@dataclass(frozen=True, slots=True)
class ShopPart:
    """How many instances of one size to solve, and CP-SAT's deterministic limit for each.

    A unit of the limit is about three seconds of one core.
    """

    jobs: int
    machines: int
    instances: int
    limit: float

    @property
    def label(self) -> str:
        """A word for file names and progress lines."""
        return f"{self.jobs}x{self.machines}-{self.instances}-limit-{self.limit:g}"


@dataclass(frozen=True, slots=True)
class ExpertSchedules:
    """The solved instances of one part, as arrays over K instances.

    `durations` and `machines` [K, jobs, machines]; `actions` [K, jobs * machines] are job ids in
    order of start time; int64 throughout.
    """

    durations: np.ndarray
    machines: np.ndarray
    actions: np.ndarray


def load_or_solve(
    part: ShopPart,
    seed: int,
    report: Callable[[TrainingProgress], None],
    until: float = math.inf,
) -> ExpertSchedules:
    """Solve the part's instances in parallel, or read them from the user's cache folder.

    No more than is solved `until` then (`solve_in_pieces`). Raises UserError naming the extra
    when CP-SAT is not installed and something has to be solved.
    """
    shops = random_instances("expert", FIRST_SEED + seed, part.instances, part.jobs, part.machines)
    return solve_in_pieces(
        f"experts-{part.label}-seed-{seed}",
        ExpertSchedules,
        partial(solve, limit=part.limit),
        shops,
        f"experts {part.jobs}x{part.machines}",
        report,
        until,
        _require_cp_sat,
    )


def _require_cp_sat() -> None:
    if not is_installed():
        raise UserError(f"expert schedules need CP-SAT: {INSTALL}")


def solve(shop: Instance, limit: float) -> ExpertSchedules:
    """One instance with its schedule, as `schedule` finds it."""
    actions = schedule(shop, limit)
    return ExpertSchedules(
        np.array([shop.durations]), np.array([shop.machines]), np.array([actions])
    )


def schedule(shop: Instance, limit: float) -> list[int]:
    """The best schedule found by CP-SAT within `limit`, as job ids in order of start time."""
    horizon = sum(map(sum, shop.durations))
    model = build_model(shop, 0, horizon, placed={})
    solver = new_solver(limit)
    solver.solve(model.model)
    starts = model.starts
    return [job for job, _ in sorted(starts, key=lambda at: (solver.value(starts[at]), at))]
