"""Rollouts on many graphs at once: where they stand, what the network sees, the next flip."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from teachers.eco_dqn.graphs import GraphBatch


@dataclass(frozen=True, slots=True, eq=False)
class Rollouts:
    """A rollout on each of G graphs with V vertices in all; every tensor has one precision.

    [V]: `spins` and `best_spins` are +1 or -1, `gains` what flips gain, `flipped` the number of
    flips on a rollout up to and with the last one of a vertex, 0 for none. [G]: the `cuts`, the
    `best_cuts` so far, first reached at `best_spins`, the `steps` made and those of the
    whole rollout, `lengths`.
    """

    graphs: GraphBatch
    spins: Tensor
    best_spins: Tensor
    gains: Tensor
    flipped: Tensor
    cuts: Tensor
    best_cuts: Tensor
    steps: Tensor
    lengths: Tensor

    def observe(self) -> Tensor:
        """The seven features of each vertex in the published order, [V, 7].

        Spin, gain, time since the last flip; then of the whole rollout: distance from the best
        cut, number of spins that differ from the best ones, share of flips that gain, time.
        """
        graphs = self.graphs
        owners = graphs.owners
        units = graphs.units
        whole = [
            (self.best_cuts - self.cuts) / units,
            graphs.totals((self.spins != self.best_spins).to(self.spins)),
            graphs.means((self.gains > 0).to(self.spins)),
            self.steps / self.lengths,
        ]
        own = [
            (1 - self.spins) / 2,
            self.gains / units[owners],
            (self.steps[owners] - self.flipped) / self.lengths[owners],
        ]
        return torch.cat([torch.stack(own, dim=1), torch.stack(whole, dim=1)[owners]], dim=1)

    def flip(self, vertices: Tensor) -> Rollouts:
        """The rollouts after the flip of one vertex each, [G], numbered among all V."""
        spins = self.spins.clone()
        spins[vertices] *= -1
        flipped = self.flipped.clone()
        flipped[vertices] = self.steps + 1
        cuts = self.cuts + self.gains[vertices]
        better = (cuts > self.best_cuts)[self.graphs.owners]
        return replace(
            self,
            spins=spins,
            best_spins=torch.where(better, spins, self.best_spins),
            gains=self.graphs.gains(spins),
            flipped=flipped,
            cuts=cuts,
            best_cuts=torch.maximum(cuts, self.best_cuts),
            steps=self.steps + 1,
        )

    def where(self, graphs: Tensor, others: Rollouts) -> Rollouts:
        """These rollouts for the graphs marked in [G], for the others those of `others`.

        The graphs are those of these rollouts; unmarked ones have to be the same in both.
        """
        vertices = graphs[self.graphs.owners]

        def chosen(name: str, mark: Tensor) -> Tensor:
            mixed: Tensor = torch.where(mark, getattr(self, name), getattr(others, name))
            return mixed

        return Rollouts(
            self.graphs,
            spins=chosen("spins", vertices),
            best_spins=chosen("best_spins", vertices),
            gains=chosen("gains", vertices),
            flipped=chosen("flipped", vertices),
            cuts=chosen("cuts", graphs),
            best_cuts=chosen("best_cuts", graphs),
            steps=chosen("steps", graphs),
            lengths=chosen("lengths", graphs),
        )


def start_rollouts(graphs: GraphBatch, spins: Tensor, steps: Tensor, lengths: Tensor) -> Rollouts:
    """Rollouts from these spins, as if the `steps` made so far had flipped nothing."""
    cuts = graphs.cuts(spins)
    flipped = torch.zeros_like(spins)
    return Rollouts(graphs, spins, spins, graphs.gains(spins), flipped, cuts, cuts, steps, lengths)
