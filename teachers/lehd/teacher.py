"""The constructors as teachers: decisions in, verdicts out, on the states of any program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from problems.cvrp.sets.data import DEPOT
from problems.errors import TeacherUnavailable
from teachers.base import verdict
from teachers.lehd.batched_states import BatchedStates
from teachers.lehd.network import LEHD, Size
from teachers.weights import fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from torch import Tensor

    from problems.base import Decision
    from teachers.base import Verdict
    from teachers.weights import Header

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


@dataclass(frozen=True, slots=True)
class Constructor:
    """A network and what it is called; see `teachers.base.Teacher`."""

    name: str
    fingerprint: str
    problem: str
    network: LEHD

    def verdicts(self, decisions: Sequence[Decision]) -> list[Verdict]:
        """One verdict per decision: logits of the feasible nodes.

        Returning to the depot has the best logit of a customer by the depot. Raises
        TeacherUnavailable for instances without coordinates.
        """
        see = see_tour if self.problem == "tsp" else see_routes
        seen = [see(decision.state) for decision in decisions]
        found: dict[int, Verdict] = {}
        for positions in _batches(seen):
            batch = [seen[position] for position in positions]
            for position, one, scores in zip(positions, batch, self._scores(batch), strict=True):
                actions = decisions[position].actions
                found[position] = verdict(actions, _chosen(one, scores, actions))
        return [found[position] for position in range(len(decisions))]

    def _scores(self, batch: list[Seen]) -> np.ndarray:
        """Logits [B, L, columns]."""
        with torch.inference_mode():
            logits: Tensor = self.network(_padded(batch, self.network.score.weight.device))
            scores: np.ndarray = logits.cpu().double().numpy()
            return scores


def build(header: Header, arrays: Mapping[str, np.ndarray], device: torch.device) -> Constructor:
    """The teacher of a header and its weights. Raises TeacherUnavailable when they do not fit."""
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
    try:
        network = LEHD(Size(**header.architecture))
        network.load_state_dict(tensors)
    except (TypeError, RuntimeError) as error:
        raise TeacherUnavailable(f"the weights of {header.name} do not fit: {error}") from error
    made_by = fingerprint(header, device.type, torch.__version__)
    network.eval().requires_grad_(False).to(device)
    return Constructor(header.name, made_by, header.problem, network)


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


def _chosen(seen: Seen, scores: np.ndarray, actions: Sequence[int]) -> list[float]:
    """The scores of the actions: a customer's in its column, a return's the best by the depot."""
    columns = scores[: len(seen.nodes)]
    values = {DEPOT: float(columns[:, -1].max())}
    values |= zip(seen.nodes, columns[:, seen.column].tolist(), strict=True)
    return [values[action] for action in actions]


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


def _batches(seen: list[Seen]) -> list[list[int]]:
    """Positions by falling size, in pieces whose padded states have at most PAIRS pairs."""
    order = sorted(range(len(seen)), key=lambda position: -len(seen[position].points))
    batches: list[list[int]] = []
    while order:
        step = max(1, PAIRS // len(seen[order[0]].points) ** 2)
        batches.append(order[:step])
        order = order[step:]
    return batches
