"""What is left of an instance, as the network reads it: batches of states, padded to one size."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from teachers.lehd.spanning_trees import find_nearness

CLOSE = 1e-6
"""Demands and capacities are shares; equal whole numbers differ by less than this."""
WASTE = 1e-4
"""Sums of demands are whole numbers of vehicles when they are so close to it."""
GEOMETRY = 6
"""How many numbers say in `invariant` where a node lies."""
LOAD = 4
"""How many say there what vehicles carry."""
TREES = 4
"""How many numbers `read_trees` gives of a node."""
FARTHEST = 8.0
"""Nodes that are less near than so many steps are all alike."""


@dataclass(frozen=True, slots=True)
class BatchedStates:
    """B states with at most L open nodes; a state has N = L + 2 rows.

    Row 0 is the node where the way ends (the depot), row 1 the current node, the others are open.
    `points` [B, N, 2]; `demands` [B, N] and the remaining capacity `rest` [B] as shares of the
    capacity, 0 for tours; `real` [B, N] is false for padding, whose other values do not matter.
    """

    points: Tensor
    demands: Tensor
    rest: Tensor
    real: Tensor

    @property
    def fits(self) -> Tensor:
        """The open nodes that can come next without a return, [B, L]; from the depot, none."""
        is_light = self.demands[:, 2:] <= self.rest[:, None] + CLOSE
        return is_light & self.real[:, 2:] & (self.rest[:, None] < 1)


def invariant(states: BatchedStates) -> tuple[Tensor, Tensor]:
    """Features [B, N, 10] that moving, turning, mirroring and scaling do not change; distances.

    Seen from the current node, the end lies on the positive x axis, most of the rest above it, and
    the farthest node at distance 1. Six features of a node are its place, its distances from the
    current node and the end, how sparse the nodes are, and its distance from the current node in
    steps. A step is about the distance of neighbours; the distances [B, N, N] are in steps. Then
    come its demand, the capacity that would remain, how many more vehicles are needed at least,
    and how much capacity may be wasted without yet another one.
    """
    places = _seen_from_current(states.points, states.real)
    distances = torch.cdist(places, places, compute_mode="donot_use_mm_for_euclid_dist")
    density = states.real.sum(1).to(places).sqrt()[:, None]
    steps = distances * density[..., None]
    rest = states.rest[:, None]
    needed = (states.demands * states.real).sum(1, keepdim=True) - rest
    vehicles = (needed - WASTE).ceil().clamp(min=0)
    columns = (
        *places.unbind(-1),
        distances[:, 1],
        distances[:, 0],
        (4 / density).expand_as(states.demands),
        torch.log1p(steps[:, 1]) - 1,
        states.demands,
        rest - states.demands,
        torch.log1p(vehicles).expand_as(states.demands),
        (vehicles - needed).expand_as(states.demands),
    )
    return torch.stack(columns, -1), steps


def read_trees(states: BatchedStates, steps: Tensor) -> tuple[Tensor, Tensor]:
    """Features [B, N, 4] of spanning trees, and nearness [B, N, N]; `steps` as of `invariant`.

    The features are a node's nearness to the current node and to the end, its penalty, and whether
    no other is nearer to the current node. What is carried is not looked at.
    """
    nearness, penalties = find_nearness(steps, states.real.sum(1))
    nearness = nearness.clamp(max=FARTHEST)
    from_current = nearness[:, 1].masked_fill(~states.real, FARTHEST)
    from_current[:, 1] = FARTHEST
    columns = (
        torch.log1p(FARTHEST * nearness[:, 1]) - 1,
        torch.log1p(FARTHEST * nearness[:, 0]) - 1,
        penalties.clamp(-FARTHEST, FARTHEST),
        (from_current == from_current.amin(1, keepdim=True)).to(steps),
    )
    return torch.stack(columns, -1), nearness


def plain(states: BatchedStates) -> tuple[Tensor, Tensor]:
    """Features [B, N, 3] of the published networks, place and demand; distances [B, N, N]."""
    features = torch.cat([states.points, states.demands[..., None]], -1)
    return features, torch.cdist(states.points, states.points)


def _seen_from_current(points: Tensor, real: Tensor) -> Tensor:
    """Moved, turned, mirrored and scaled as `invariant` says, padding in the origin."""
    places = _turned(points - points[:, 1:2]) * real[..., None]
    mirror = torch.where(places[..., 1].sum(1, keepdim=True) < 0, -1.0, 1.0)
    places = torch.stack([places[..., 0], places[..., 1] * mirror], -1)
    radius: Tensor = places.norm(dim=-1).amax(1)
    return places / radius.clamp(min=1e-9)[:, None, None]


def _turned(places: Tensor) -> Tensor:
    """Row 0 turned onto the positive x axis; nothing turned where it lies in the origin."""
    length = places[:, 0].norm(dim=-1, keepdim=True)
    unit = places[:, 0] / length.clamp(min=1e-9)
    unit = torch.where(length > 1e-9, unit, unit.new_tensor([1.0, 0.0]))
    cosine, sine = unit[:, None].unbind(-1)
    x, y = places.unbind(-1)
    return torch.stack([x * cosine + y * sine, y * cosine - x * sine], -1)
