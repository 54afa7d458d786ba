"""The network as a teacher: decisions in, verdicts out, on the states of any program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from problems.errors import TeacherUnavailable
from teachers.base import verdict
from teachers.neuroevolution.network import FlipNetwork
from teachers.neuroevolution.walks import graph, observe, recall
from teachers.weights import fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from problems.base import Decision
    from problems.maxcut.state import State
    from teachers.base import Verdict
    from teachers.weights import Header

CHUNK = 32
"""States in one forward."""


@dataclass(frozen=True, slots=True)
class EvolvedFlipper:
    """A network and what it is called; see `teachers.base.Teacher`."""

    name: str
    fingerprint: str
    network: FlipNetwork
    problem: str = "maxcut"

    def verdicts(self, decisions: Sequence[Decision]) -> list[Verdict]:
        """One verdict per decision: the scores of all flips."""
        found = []
        for at in range(0, len(decisions), CHUNK):
            batch = decisions[at : at + CHUNK]
            rows = self._scores([decision.state for decision in batch])
            for decision, row in zip(batch, rows, strict=True):
                found.append(verdict(decision.actions, [row[a] for a in decision.actions]))
        return found

    def _scores(self, states: list[State]) -> list[list[float]]:
        features = [_features(state) for state in states]
        device = self.network.leave.weight.device
        with torch.inference_mode():
            joined = torch.from_numpy(np.concatenate(features)).to(device)
            parts = self.network(joined).split([len(part) for part in features])
            return [part.tolist() for part in parts]


def build(
    header: Header, arrays: Mapping[str, np.ndarray], device: torch.device
) -> EvolvedFlipper:
    """The teacher of a header and its weights. Raises TeacherUnavailable when they do not fit."""
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
    network = FlipNetwork()
    try:
        network.load_state_dict(tensors)
    except RuntimeError as error:
        raise TeacherUnavailable(f"the weights of {header.name} do not fit: {error}") from error
    made_by = fingerprint(header, device.type, torch.__version__)
    return flipper(header.name, made_by, network.to(device))


def flipper(name: str, made_by: str, network: FlipNetwork) -> EvolvedFlipper:
    """The teacher that a network becomes, which is changed into its form for queries.

    Scores are computed in double precision: flips that look alike then stay alike in any batch.
    """
    return EvolvedFlipper(name, made_by, network.eval().double().requires_grad_(False))


def _features(state: State) -> np.ndarray:
    return observe(graph(state.instance), recall(state), state.step, state.max_steps)
