"""What all learned teachers are: a network, asked in batches, made of a header and its weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from problems.base import Decision
from problems.errors import TeacherUnavailable
from teachers.base import Verdict, verdict
from teachers.weights import Header, fingerprint

if TYPE_CHECKING:
    import numpy as np

    Scores = Sequence[float] | Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Family:
    """How the networks of a family are made and asked.

    `make` gives the network of a header, without its weights; `freeze` turns a network into its
    form for queries, and returns it. `split` gives the places of decisions that go through one
    forward, `score` the scores of each decision by action, from a network and its problem.
    """

    make: Callable[[Header], Any]
    freeze: Callable[[Any], Any]
    split: Callable[[Sequence[Decision]], Iterable[Sequence[int]]]
    score: Callable[[Any, str, Sequence[Decision]], Sequence[Scores]]

    def teacher(self, network: Any, problem: str, name: str = "", made_by: str = "") -> Learned:
        """The teacher that a network becomes, which is changed into its form for queries."""
        return Learned(name, made_by, problem, self.freeze(network), self)

    def build(
        self, header: Header, arrays: Mapping[str, np.ndarray], device: torch.device
    ) -> Learned:
        """The teacher of a header and its weights.

        Raises TeacherUnavailable when they do not fit.
        """
        tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
        try:
            network = self.make(header)
            network.load_state_dict(tensors)
        except (KeyError, TypeError, RuntimeError) as error:
            told = f"the weights of {header.name} do not fit: {error}"
            raise TeacherUnavailable(told) from error
        made_by = fingerprint(header, device.type, torch.__version__)
        return self.teacher(network.to(device), header.problem, header.name, made_by)


@dataclass(frozen=True, slots=True)
class Learned:
    """A network and what it is called; see `teachers.base.Teacher`."""

    name: str
    fingerprint: str
    problem: str
    network: Any
    family: Family

    def verdicts(self, decisions: Sequence[Decision]) -> list[Verdict]:
        """One verdict per decision: the scores of the feasible actions."""
        found: dict[int, Verdict] = {}
        for places in self.family.split(decisions):
            batch = [decisions[place] for place in places]
            with torch.inference_mode():
                rows = self.family.score(self.network, self.problem, batch)
            for place, decision, row in zip(places, batch, rows, strict=True):
                scores = [row[action] for action in decision.actions]
                found[place] = verdict(decision.actions, scores)
        return [found[place] for place in range(len(decisions))]
