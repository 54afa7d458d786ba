"""The dispatcher as a teacher: decisions in, verdicts out, on the states of any program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from problems.errors import TeacherUnavailable
from teachers.base import verdict
from teachers.slim.features import observe
from teachers.slim.network import DispatchNetwork
from teachers.slim.shops import recall
from teachers.weights import fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from problems.base import Decision
    from teachers.base import Verdict
    from teachers.weights import Header

CHUNK = 64
"""States in one forward."""


@dataclass(frozen=True, slots=True)
class SlimDispatcher:
    """A network and what it is called; see `teachers.base.Teacher`."""

    name: str
    fingerprint: str
    network: DispatchNetwork
    problem: str = "jssp"

    def verdicts(self, decisions: Sequence[Decision]) -> list[Verdict]:
        """One verdict per decision: the scores of the feasible jobs."""
        found: dict[int, Verdict] = {}
        for positions in _batches(decisions):
            batch = [decisions[position] for position in positions]
            rows = self._scores(batch)
            for position, decision, row in zip(positions, batch, rows, strict=True):
                scores = [row[action] for action in decision.actions]
                found[position] = verdict(decision.actions, scores)
        return [found[position] for position in range(len(decisions))]

    def _scores(self, batch: list[Decision]) -> list[list[float]]:
        features, open_jobs = observe(recall([decision.state for decision in batch]))
        device = self.network.leave.weight.device
        with torch.inference_mode():
            scores = self.network(
                torch.from_numpy(features).to(device), torch.from_numpy(open_jobs).to(device)
            )
            rows: list[list[float]] = scores.tolist()
            return rows


def build(
    header: Header, arrays: Mapping[str, np.ndarray], device: torch.device
) -> SlimDispatcher:
    """The teacher of a header and its weights. Raises TeacherUnavailable when they do not fit."""
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
    network = DispatchNetwork()
    try:
        network.load_state_dict(tensors)
    except RuntimeError as error:
        raise TeacherUnavailable(f"the weights of {header.name} do not fit: {error}") from error
    made_by = fingerprint(header, device.type, torch.__version__)
    return dispatcher(header.name, made_by, network.to(device))


def dispatcher(name: str, made_by: str, network: DispatchNetwork) -> SlimDispatcher:
    """The teacher that a network becomes, which is changed into its form for queries.

    Scores are computed in double precision: jobs that look alike then stay alike in any batch.
    """
    return SlimDispatcher(name, made_by, network.eval().double().requires_grad_(False))


def _batches(decisions: Sequence[Decision]) -> list[list[int]]:
    """Positions of decisions on instances of one size, in pieces of at most CHUNK."""
    sizes: dict[tuple[int, int], list[int]] = {}
    for position, decision in enumerate(decisions):
        durations = decision.state.instance.durations
        sizes.setdefault((len(durations), len(durations[0])), []).append(position)
    return [
        positions[at : at + CHUNK]
        for positions in sizes.values()
        for at in range(0, len(positions), CHUNK)
    ]
