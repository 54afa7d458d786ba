"""The dispatchers as teachers: decisions in, verdicts out, on the states of any program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from problems.errors import TeacherUnavailable
from teachers.base import verdict
from teachers.offline_l2d.graphs import graphs
from teachers.offline_l2d.network import L2DActor, OfflineL2D
from teachers.weights import fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from problems.base import Decision
    from teachers.base import Verdict
    from teachers.weights import Header

CHUNK = 12_800
"""Nodes in one forward: 32 states of 20x20, small enough to stay in a core's cache."""
NETWORKS = {"offline-l2d": OfflineL2D, "l2d": L2DActor}


@dataclass(frozen=True, slots=True)
class Dispatcher:
    """A network and what it is called; see `teachers.base.Teacher`."""

    name: str
    fingerprint: str
    network: OfflineL2D | L2DActor
    problem: str = "jssp"

    def verdicts(self, decisions: Sequence[Decision]) -> list[Verdict]:
        """One verdict per decision: Q values (L2D: logits) of the feasible jobs."""
        found: dict[int, Verdict] = {}
        for positions in _batches(decisions):
            batch = [decisions[position] for position in positions]
            scores = self._scores(batch)
            for position, decision, row in zip(positions, batch, scores, strict=True):
                actions = decision.actions
                found[position] = verdict(actions, [row[action] for action in actions])
        return [found[position] for position in range(len(decisions))]

    def _scores(self, batch: list[Decision]) -> list[list[float]]:
        with torch.inference_mode():
            states = graphs([decision.state for decision in batch])
            rows: list[list[float]] = self.network.scores(states).tolist()
            return rows


def build(header: Header, arrays: Mapping[str, np.ndarray], device: torch.device) -> Dispatcher:
    """The teacher of a header and its weights. Raises TeacherUnavailable when they do not fit."""
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
    try:
        network = NETWORKS[header.architecture["network"]]()
        network.load_state_dict(tensors)
    except (KeyError, RuntimeError) as error:
        raise TeacherUnavailable(f"the weights of {header.name} do not fit: {error}") from error
    made_by = fingerprint(header, device.type, torch.__version__)
    return Dispatcher(header.name, made_by, network.frozen().to(device))


def _batches(decisions: Sequence[Decision]) -> list[list[int]]:
    """Positions of decisions on instances of one size, in pieces of at most CHUNK nodes."""
    sizes: dict[tuple[int, int], list[int]] = {}
    for position, decision in enumerate(decisions):
        durations = decision.state.instance.durations
        sizes.setdefault((len(durations), len(durations[0])), []).append(position)
    batches = []
    for (jobs, length), positions in sizes.items():
        step = max(1, CHUNK // (jobs * length))
        batches += [positions[at : at + step] for at in range(0, len(positions), step)]
    return batches
