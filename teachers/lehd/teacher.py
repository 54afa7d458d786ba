"""How constructors are asked, on the states of any program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from problems.base import Decision
from problems.cvrp.instances import DEPOT
from problems.errors import TeacherUnavailable
from teachers.family import Family
from teachers.lehd.batched_states import BatchedStates
from teachers.lehd.network import LEHD, Size

PAIRS = 40_000
"""Pairs of nodes in one forward: 16 states of 50 nodes, small enough for a core's cache."""
TINY = 1e-12
"""Instances smaller than this stay as they are."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One state for the network: all arrays over the open nodes, which stand in `nodes`.

    `points` [L + 2, 2] and `demands` [L + 2], the end and the current node before the open ones.
    `column` reads a customer's score: 0 directly, 1 by the depot.
    """

    nodes: tuple[int, ...]
    points: np.ndarray
    demands: np.ndarray
    rest: float
    column: int


def score(network: LEHD, problem: str, batch: Sequence[Decision]) -> list[dict[int, float]]:
    """Logits of the open nodes; a return to the depot has the best of a customer by the depot.

    Raises TeacherUnavailable for instances without coordinates.
    """
    see = see_tour if problem == "tsp" else see_routes
    seen = [see(decision.state) for decision in batch]
    logits: Tensor = network(_padded(seen, network.score.weight.device))
    scores: np.ndarray = logits.cpu().double().numpy()
    return [_by_node(one, row) for one, row in zip(seen, scores, strict=True)]


def see_tour(state: Any) -> Seen:
    """A partial tour: the end is its first node."""
    nodes = state.unvisited
    rows = _places(state.instance)[[state.tour[0], state.current, *nodes]]
    return Seen(nodes, rows, np.zeros(len(rows)), 0.0, 0)


def see_routes(state: Any) -> Seen:
    """Routes under construction.

    After a return, as the published network has it: from the customer visited last, with what was
    left there, by the depot. In the first state nothing was visited: from the depot itself.
    """
    instance = state.instance
    nodes = state.unvisited
    demands = np.array(instance.demands) / instance.capacity
    is_home = state.current == DEPOT
    rest = (state.unused if is_home else state.rest) / instance.capacity
    points = _places(instance)[[DEPOT, state.last_customer, *nodes]]
    shares = np.concatenate([np.zeros(2), demands[list(nodes)]])
    return Seen(nodes, points, shares, rest, int(is_home))


def _places(instance: Any) -> np.ndarray:
    """Coordinates moved and scaled, both axes alike, into the unit square."""
    points = np.array(getattr(instance, "points", ()))
    if points.ndim != 2:
        raise TeacherUnavailable(f"{instance.name} has no coordinates; LEHD cannot comment on it")
    low = points.min()
    places: np.ndarray = (points - low) / max(points.max() - low, TINY)
    return places


def _by_node(seen: Seen, scores: np.ndarray) -> dict[int, float]:
    """The scores of the nodes: a customer's in its column, a return's the best by the depot."""
    columns = scores[: len(seen.nodes)]
    values = {DEPOT: float(columns[:, -1].max())}
    values |= zip(seen.nodes, columns[:, seen.column].tolist(), strict=True)
    return values


def _padded(batch: list[Seen], device: torch.device) -> BatchedStates:
    size = max(len(one.points) for one in batch)
    points = np.zeros((len(batch), size, 2), np.float32)
    demands = np.zeros((len(batch), size), np.float32)
    real = np.zeros((len(batch), size), bool)
    for row, one in enumerate(batch):
        rows = slice(len(one.points))
        points[row, rows] = one.points
        demands[row, rows] = one.demands
        real[row, rows] = True
    rest = np.array([one.rest for one in batch], np.float32)
    arrays = (points, demands, rest, real)
    return BatchedStates(*(torch.from_numpy(array).to(device) for array in arrays))


def split(decisions: Sequence[Decision]) -> list[list[int]]:
    """Places by falling size, in pieces whose padded states have at most PAIRS pairs."""
    sizes = [2 + len(decision.state.unvisited) for decision in decisions]
    order = sorted(range(len(sizes)), key=lambda place: -sizes[place])
    batches: list[list[int]] = []
    while order:
        step = max(1, PAIRS // sizes[order[0]] ** 2)
        batches.append(order[:step])
        order = order[step:]
    return batches


FAMILY = Family(
    make=lambda header: LEHD(Size(**header.architecture)),
    freeze=lambda network: network.eval().requires_grad_(False),
    split=split,
    score=score,
)
build = FAMILY.build
