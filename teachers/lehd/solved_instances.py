"""Solved instances for training: own random ones, solved by LKH or PyVRP and kept in a cache."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from problems.cvrp.instances import CvrpGenerator, draw
from problems.cvrp.instances import Instance as Cvrp
from problems.cvrp.walk import drive
from problems.errors import UserError
from problems.tsp.instances import Instance as Tsp
from problems.tsp.instances import random_points
from teachers.training.measure import TrainingProgress
from teachers.training.solving import solve_in_pieces

PIECE = 50
"""Instances that one process solves at a time."""
CAPACITIES = (30, 80)
ITERATIONS = 100
"""Of PyVRP; about 1 % above the best routes with 50 customers."""
SOLVERS = {"tsp": "elkai", "cvrp": "pyvrp"}


@dataclass(frozen=True, slots=True)
class RoutingPart:
    """How many instances of one size to solve; `nodes` counts no depot.

    `share` says how many batches of a training come from them, beside the shares of other parts.
    """

    problem: str
    nodes: int
    instances: int
    share: float = 1.0

    @property
    def label(self) -> str:
        """A word for file names and progress lines."""
        return f"{self.problem}{self.nodes}-{self.instances}"


@dataclass(frozen=True, slots=True)
class SolvedInstances:
    """K solved instances of one size, all nodes but the depot in the order of the solution.

    `points` [K, n, 2] in the unit square. `depots` [K, 2], `demands` [K, n] as shares of the
    capacity and `routes` [K, n], the number of each customer's route from 0 on. A tour has no
    depot: its depots and demands are 0 and it is one route.
    """

    points: np.ndarray
    depots: np.ndarray
    demands: np.ndarray
    routes: np.ndarray


def load_or_solve(
    part: RoutingPart,
    seed: int,
    report: Callable[[TrainingProgress], None],
    until: float = math.inf,
) -> SolvedInstances:
    """Solve the part's instances in parallel, or read them from the user's cache folder.

    No more than is solved `until` then (`solve_in_pieces`). Raises UserError naming the extra
    when the solver is not installed and something has to be solved.
    """
    counts = [min(PIECE, part.instances - first) for first in range(0, part.instances, PIECE)]
    seeds = np.random.SeedSequence([seed, part.nodes]).generate_state(len(counts)).tolist()
    return solve_in_pieces(
        f"solved-{part.label}-seed-{seed}",
        SolvedInstances,
        partial(_solve_piece, part),
        list(zip(seeds, counts, strict=True)),
        f"solving {part.label}",
        report,
        until,
        partial(_require_solver, part),
    )


def _require_solver(part: RoutingPart) -> None:
    if importlib.util.find_spec(SOLVERS[part.problem]) is None:
        raise UserError(f"{part.problem} needs a solver: pip install 'preceptor[reference]'")


def _solve_piece(part: RoutingPart, piece: tuple[int, int]) -> SolvedInstances:
    """The first instances of a piece, by its seed and how many of them the part has room for."""
    seed, count = piece
    solved = solve(part, seed)
    return SolvedInstances(
        solved.points[:count], solved.depots[:count], solved.demands[:count], solved.routes[:count]
    )


def solve(part: RoutingPart, seed: int) -> SolvedInstances:
    """A piece of the part: instances of that seed and their solutions."""
    count = min(PIECE, part.instances)
    find = solve_tours if part.problem == "tsp" else solve_routes
    return find(part.nodes, count, seed)


def solve_tours(nodes: int, count: int, seed: int) -> SolvedInstances:
    """Random tours, solved by one run of LKH each."""
    from problems.tsp.references.lkh import solve as find_tour

    points = np.array(random_points(seed, count, nodes))
    for index, one in enumerate(points):
        points[index] = one[find_tour(Tsp("", tuple(map(tuple, one.tolist()))), runs=1)]
    none = np.zeros((count, nodes), np.float32)
    return SolvedInstances(points.astype(np.float32), none[:, :2], none, none.astype(np.int16))


def solve_routes(nodes: int, count: int, seed: int) -> SolvedInstances:
    """Routes of PyVRP, the depot by turns in the centre and at a random place."""
    from problems.cvrp.references.hgs import solve as search

    generator = CvrpGenerator(nodes, "random" if seed % 2 else "centre", CAPACITIES)
    rows = [_row(one, search(one, ITERATIONS)) for one in draw("solved", seed, count, generator)]
    points, depots, demands, routes = (np.array(column) for column in zip(*rows, strict=True))
    return SolvedInstances(
        points.astype(np.float32),
        depots.astype(np.float32),
        demands.astype(np.float32),
        routes.astype(np.int16),
    )


def _row(instance: Cvrp, actions: list[int]) -> tuple[np.ndarray, ...]:
    """Points, depot, demands and routes of one instance, along the actions."""
    way = np.array(drive(instance, actions).way)
    points = np.array(instance.points)
    demands = np.array(instance.demands) / instance.capacity
    order = way[way > 0]
    numbers = np.cumsum(way == 0)[way > 0] - 1
    return points[order], points[0], demands[order], numbers
