"""How flippers are asked, on the states of any program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from problems.base import Decision
from problems.maxcut.state import State
from teachers.eco_dqn.graphs import graph, side_by_side
from teachers.eco_dqn.network import EcoDqn
from teachers.eco_dqn.rollouts import Rollouts
from teachers.family import Family

CHUNK = 6_400
"""Vertices in one forward: 32 states of 200, small enough to stay in a core's cache."""


def score(network: EcoDqn, problem: str, batch: Sequence[Decision]) -> list[list[float]]:
    """The values of all flips."""
    like = network.readout_layer.layer_pooled.weight
    rollouts = recall([decision.state for decision in batch], like)
    values: Tensor = network(rollouts.graphs, rollouts.observe())
    return [one.tolist() for one in torch.split(values.cpu(), [*rollouts.graphs.sizes])]


def recall(states: Sequence[State], like: Tensor) -> Rollouts:
    """Where these rollouts stand, as tensors on the device of `like` and in its precision."""

    def tensor(values: Sequence[float] | np.ndarray) -> Tensor:
        return torch.as_tensor(np.asarray(values, dtype=np.float64)).to(like)

    graphs = side_by_side([graph(state.instance) for state in states], like)
    spins = tensor(_spins([state.sides for state in states]))
    return Rollouts(
        graphs=graphs,
        spins=spins,
        best_spins=tensor(_spins([state.best_sides for state in states])),
        gains=graphs.gains(spins),
        flipped=tensor(np.concatenate([_flipped(state) for state in states])),
        cuts=tensor([state.cut for state in states]),
        best_cuts=tensor([state.best_cut for state in states]),
        steps=tensor([state.step for state in states]),
        lengths=tensor([state.max_steps for state in states]),
    )


def _spins(sides: Sequence[bytes]) -> np.ndarray:
    return 1.0 - 2.0 * np.frombuffer(b"".join(sides), dtype=np.uint8)


def _flipped(state: State) -> np.ndarray:
    """Flips of the attempt up to and with the last one of each vertex, 0 for none."""
    last = np.array([-1 if step is None else step for step in state.last_flips])
    return last + 1


def split(decisions: Sequence[Decision]) -> Iterator[list[int]]:
    """Places of neighbouring decisions, as many as fit into CHUNK vertices, at least one."""
    batch: list[int] = []
    vertices = 0
    for place, decision in enumerate(decisions):
        size = decision.state.instance.size
        if batch and vertices + size > CHUNK:
            yield batch
            batch = []
            vertices = 0
        batch.append(place)
        vertices += size
    if batch:
        yield batch


FAMILY = Family(
    make=lambda _: EcoDqn(),
    # in double precision flips that look alike stay alike in any batch
    freeze=lambda network: network.eval().double().requires_grad_(False),
    split=split,
    score=score,
)
build = FAMILY.build
