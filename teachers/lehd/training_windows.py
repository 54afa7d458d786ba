"""Training states: what is left somewhere along a solution, and which choices lead on along it.

Every part of a shortest tour is a shortest way between its ends, and the routes of a solution can
be driven in any order and direction. So an instance gives states of every size, one for each node,
direction and order of routes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from teachers.lehd.batched_states import BatchedStates

if TYPE_CHECKING:
    from teachers.lehd.solved_instances import SolvedInstances


@dataclass(frozen=True, slots=True)
class WindowBatch:
    """B states with L open nodes each, in the order of the solution.

    `right` [B, L, columns] are the choices that a solution makes: more than one where several are
    as good. `after` and `before` [B, L + 1] are the rows of the neighbours in the solution, of the
    current node and of the open ones; the current node has only one ahead, which stands twice.
    """

    states: BatchedStates
    right: Tensor
    after: Tensor
    before: Tensor


@dataclass(frozen=True, slots=True)
class SolvedTensors:
    """Solved instances of one size on a device; fields as those of `SolvedInstances`."""

    points: Tensor
    depots: Tensor
    demands: Tensor
    routes: Tensor

    @classmethod
    def of(cls, solved: SolvedInstances, device: torch.device) -> SolvedTensors:
        """The arrays of `solved` on a device."""
        arrays = (solved.points, solved.depots, solved.demands, solved.routes)
        return cls(*(torch.from_numpy(array).to(device) for array in arrays))

    @property
    def nodes(self) -> int:
        """How many there are in each instance, the depot not counted."""
        return self.points.shape[1]


def draw(solved: SolvedTensors, tokens: int, problem: str, rng: torch.Generator) -> WindowBatch:
    """About `tokens` nodes in states of one size, any as likely as another."""
    most = solved.nodes - (problem == "tsp")
    left = int(torch.randint(2, most + 1, (1,), generator=rng, device=rng.device))
    take = tour_batch if problem == "tsp" else route_batch
    return take(solved, -(-tokens // (left + 2)), left, rng)


def tour_batch(solved: SolvedTensors, count: int, left: int, rng: torch.Generator) -> WindowBatch:
    """`count` windows of tours with `left` open nodes between two ends; the whole tour has one."""
    device = rng.device
    picked = torch.randint(len(solved.points), (count, 1), generator=rng, device=device)
    start = torch.randint(solved.nodes, (count, 1), generator=rng, device=device)
    direction = 1 - 2 * torch.randint(2, (count, 1), generator=rng, device=device)
    rows = torch.arange(left + 2, device=device)
    along = start + direction * ((rows - 1) % (left + 2))
    points = solved.points[picked, along % solved.nodes]
    real = torch.ones(points.shape[:2], dtype=torch.bool, device=device)
    nothing = torch.zeros_like(points[..., 0])
    right = torch.zeros(count, left, 1, dtype=torch.bool, device=device)
    right[:, 0] = True
    right[:, -1] |= left == solved.nodes - 1
    after = (rows[1:] + 1) % (left + 2)
    before = rows[1:] - 1
    before[0] = after[0]
    states = BatchedStates(points, nothing, nothing[:, 0], real)
    return WindowBatch(states, right, after.expand(count, -1), before.expand(count, -1))


def route_batch(solved: SolvedTensors, count: int, left: int, rng: torch.Generator) -> WindowBatch:
    """`count` states with `left` open customers, half of them in the midst of a sweep.

    A sweep serves routes in the order of their directions from the depot, so those that are left
    lie side by side and the next is the first or the last of them; elsewhere it is any.
    """
    picked = torch.randint(len(solved.points), (count, 1), generator=rng, device=rng.device)
    numbers = solved.routes[picked[:, 0]].long()
    directions = route_directions(numbers, solved.points[picked[:, 0]] - solved.depots[picked])
    order, is_sweep = shuffled(numbers, directions, rng)
    depot = solved.depots[picked]
    home = torch.full_like(picked, -1)
    points = torch.cat([depot, solved.points[picked, order]], 1)
    routes = torch.cat([home, numbers.gather(1, order)], 1)
    demands = torch.cat([torch.zeros_like(depot[..., 0]), solved.demands[picked, order]], 1)
    at = solved.nodes - left  # where the current node stands, the depot if nothing was visited
    is_on = routes[:, : at + 1] == routes[:, at : at + 1]
    rest = 1 - (demands[:, : at + 1] * is_on).sum(1)
    shares = torch.cat([torch.zeros_like(demands[:, :2]), demands[:, at + 1 :]], 1)
    real = torch.ones_like(shares, dtype=torch.bool)
    states = BatchedStates(torch.cat([depot, points[:, at:]], 1), shares, rest, real)
    return WindowBatch(states, *_along(routes[:, at:], is_sweep & (at > 0)))


def route_directions(routes: Tensor, places: Tensor) -> Tensor:
    """Shares of a full turn [B, n] from customers' routes [B, n] and `places` from the depot."""
    sums = torch.zeros_like(places).scatter_add(1, routes[..., None].expand_as(places), places)
    return torch.atan2(sums[..., 1], sums[..., 0]) / (2 * torch.pi)


def shuffled(routes: Tensor, directions: Tensor, rng: torch.Generator) -> tuple[Tensor, Tensor]:
    """Positions [B, n] of all customers, and in which rows [B, 1] they are those of a sweep.

    Routes stay whole; half of them are reversed. Sweeps start anywhere and go either way round.
    """
    count, size = routes.shape
    draws = torch.rand(2, count, size, generator=rng, device=routes.device)
    start, way, kind = torch.rand(3, count, 1, generator=rng, device=routes.device)
    swept = (torch.where(way < 0.5, -directions, directions) + start) % 1
    is_sweep = kind < 0.5
    place = torch.where(is_sweep, swept, draws[0]).argsort(1).argsort(1).gather(1, routes)
    reverse = torch.where(draws[1] < 0.5, -1, 1).gather(1, routes)
    position = torch.arange(size, device=routes.device)
    return (place * 2 * size + reverse * position).argsort(1), is_sweep


def _along(routes: Tensor, is_sweep: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """`right`, `after` and `before` of a batch from the routes of current and open nodes.

    A vehicle that must return may go on with either end of any route, or in a sweep, of the first
    or the last.
    """
    follows = routes[:, 1:] == routes[:, :-1]
    last = torch.zeros_like(follows[:, :1])
    is_end = ~(follows & torch.cat([follows[:, 1:], last], 1))
    direct = torch.zeros_like(follows)
    direct[:, 0] = follows[:, 0]
    is_outer = (routes[:, 1:] == routes[:, 1:2]) | (routes[:, 1:] == routes[:, -1:])
    via = is_end & ~follows[:, :1] & (is_outer | ~is_sweep)
    right = torch.stack([direct, via], -1)
    rows = torch.arange(1, routes.shape[1] + 1, device=routes.device)
    after = torch.where(torch.cat([follows, last], 1), rows + 1, 0)
    before = torch.where(torch.cat([last, follows], 1), rows - 1, 0)
    before[:, 0] = after[:, 0]
    return right, after, before
