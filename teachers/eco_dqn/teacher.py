"""The flipper as a teacher: decisions in, verdicts out, on the states of any program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from problems.errors import TeacherUnavailable
from teachers.base import verdict
from teachers.eco_dqn.graphs import graph, side_by_side
from teachers.eco_dqn.network import EcoDqn
from teachers.eco_dqn.rollouts import Rollouts
from teachers.weights import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from problems.base import Decision
    from problems.maxcut.state import State
    from teachers.base import Verdict
    from teachers.weights import Header

CHUNK = 6_400
"""Vertices in one forward: 32 states of 200, small enough to stay in a core's cache."""


@dataclass(frozen=True, slots=True)
class Flipper:
    """A network and what it is called; see `teachers.base.Teacher`."""

    name: str
    fingerprint: str
    network: EcoDqn
    problem: str = "maxcut"

    def verdicts(self, decisions: Sequence[Decision]) -> list[Verdict]:
        """One verdict per decision: the values of all flips."""
        found = []
        for batch in _batches(decisions):
            for decision, values in zip(batch, self._values(batch), strict=True):
                row = values.tolist()
                found.append(verdict(decision.actions, [row[a] for a in decision.actions]))
        return found

    def _values(self, batch: list[Decision]) -> Sequence[Tensor]:
        like = self.network.readout_layer.layer_pooled.weight
        with torch.inference_mode():
            rollouts = recall([decision.state for decision in batch], like)
            values: Tensor = self.network(rollouts.graphs, rollouts.observe())
            return torch.split(values.cpu(), [*rollouts.graphs.sizes])


def build(header: Header, arrays: Mapping[str, np.ndarray], device: torch.device) -> Flipper:
    """The teacher of a header and its weights. Raises TeacherUnavailable when they do not fit.

    Values are computed in double precision: flips that look alike then stay alike in any batch.
    """
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
    network = EcoDqn()
    try:
        network.load_state_dict(tensors)
    except RuntimeError as error:
        raise TeacherUnavailable(f"the weights of {header.name} do not fit: {error}") from error
    made_by = fingerprint(header, device.type, torch.__version__)
    return flipper(header.name, made_by, network.to(device))


def flipper(name: str, fingerprint: str, network: EcoDqn) -> Flipper:
    """The teacher that a network becomes; the network is changed into its form for queries."""
    return Flipper(name, fingerprint, network.eval().double().requires_grad_(False))


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


def _batches(decisions: Sequence[Decision]) -> Iterator[list[Decision]]:
    """Neighbouring decisions, as many as fit into CHUNK vertices, at least one."""
    batch: list[Decision] = []
    vertices = 0
    for decision in decisions:
        size = decision.state.instance.size
        if batch and vertices + size > CHUNK:
            yield batch
            batch = []
            vertices = 0
        batch.append(decision)
        vertices += size
    if batch:
        yield batch
