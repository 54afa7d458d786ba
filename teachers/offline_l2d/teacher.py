"""How dispatchers are asked, on the states of any program."""

from __future__ import annotations

from collections.abc import Sequence

from problems.base import Decision
from teachers.family import Family
from teachers.offline_l2d.graphs import graphs
from teachers.offline_l2d.network import L2DActor, OfflineL2D

CHUNK = 12_800
"""Nodes in one forward: 32 states of 20x20, small enough to stay in a core's cache."""
NETWORKS = {"offline-l2d": OfflineL2D, "l2d": L2DActor}


def score(
    network: OfflineL2D | L2DActor, problem: str, batch: Sequence[Decision]
) -> list[list[float]]:
    """Q values (L2D: logits) of all jobs."""
    states = graphs([decision.state for decision in batch])
    rows: list[list[float]] = network.scores(states).tolist()
    return rows


def split(decisions: Sequence[Decision]) -> list[list[int]]:
    """Places of decisions on instances of one size, in pieces of at most CHUNK nodes."""
    sizes: dict[tuple[int, int], list[int]] = {}
    for place, decision in enumerate(decisions):
        durations = decision.state.instance.durations
        sizes.setdefault((len(durations), len(durations[0])), []).append(place)
    batches = []
    for (jobs, length), places in sizes.items():
        step = max(1, CHUNK // (jobs * length))
        batches += [places[at : at + step] for at in range(0, len(places), step)]
    return batches


FAMILY = Family(
    make=lambda header: NETWORKS[header.architecture["network"]](),
    freeze=lambda network: network.frozen(),
    split=split,
    score=score,
)
build = FAMILY.build
