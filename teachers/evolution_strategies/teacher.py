"""The network as a teacher: decisions in, verdicts out, on the states of any program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from problems.errors import TeacherUnavailable
from teachers.base import verdict
from teachers.evolution_strategies.tasks import TASKS
from teachers.weights import fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from problems.base import Decision
    from teachers.base import Verdict
    from teachers.evolution_strategies.network import ScoringNetwork
    from teachers.weights import Header

CHUNK = 32
"""States in one forward."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """A network and what it is called; see `teachers.base.Teacher`."""

    name: str
    fingerprint: str
    problem: str
    network: ScoringNetwork

    def verdicts(self, decisions: Sequence[Decision]) -> list[Verdict]:
        """One verdict per decision: the scores of the feasible actions."""
        found = []
        for at in range(0, len(decisions), CHUNK):
            batch = decisions[at : at + CHUNK]
            for decision, row in zip(batch, self._scores(batch), strict=True):
                found.append(verdict(decision.actions, [row[a] for a in decision.actions]))
        return found

    def _scores(self, batch: Sequence[Decision]) -> list[list[float]]:
        features = TASKS[self.problem].observe([decision.state for decision in batch])
        device = self.network.leave.weight.device
        with torch.inference_mode():
            scores = self.network(torch.from_numpy(np.concatenate(features)).to(device))
            parts = torch.split(scores, [len(rows) for rows in features])
            return [part.tolist() for part in parts]


def build(header: Header, arrays: Mapping[str, np.ndarray], device: torch.device) -> Scorer:
    """The teacher of a header and its weights. Raises TeacherUnavailable when they do not fit."""
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
    try:
        network = TASKS[header.problem].network()
        network.load_state_dict(tensors)
    except (KeyError, RuntimeError) as error:
        raise TeacherUnavailable(f"the weights of {header.name} do not fit: {error}") from error
    made_by = fingerprint(header, device.type, torch.__version__)
    return scorer(header.name, made_by, header.problem, network.to(device))


def scorer(name: str, made_by: str, problem: str, network: ScoringNetwork) -> Scorer:
    """The teacher that a network becomes, which is changed into its form for queries.

    Scores are computed in double precision: actions that look alike then stay alike in any batch.
    """
    return Scorer(name, made_by, problem, network.eval().double().requires_grad_(False))
