"""The text contract of the maximum cut problem where programs are shown edges, not a matrix."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from problems.base import Argument
from problems.maxcut.contract import contract as dense_contract

if TYPE_CHECKING:
    from problems.base import Contract
    from problems.maxcut.profile import WalkProfile

EDGES = (
    Argument(
        "starts",
        "the edges of vertex v stand at the places starts[v] to starts[v + 1] - 1 of neighbours "
        "and weights, a 1-D NumPy array of int64, read-only",
    ),
    Argument(
        "neighbours",
        "the other ends of all edges, ascending for every vertex, a 1-D NumPy array of int64, "
        "read-only; an edge stands there twice, once from each end",
    ),
    Argument("weights", "the weights of these edges, a 1-D NumPy array of float64, read-only"),
)
ARGUMENTS = (
    Argument(
        "spins",
        "the spins, a 1-D NumPy array of float64, each +1.0 or -1.0, a fresh one in every call",
    ),
    Argument(
        "gains",
        "gains[v] is what the cut gains when vertex v is flipped, a 1-D NumPy array of float64, a "
        "fresh one in every call",
    ),
    *EDGES,
    Argument(
        "last_flips",
        "last_flips[v] is the step at which vertex v was flipped last, -1 if it never was, a 1-D "
        "NumPy array of int64, a fresh one in every call",
    ),
    Argument(
        "flip_counts",
        "flip_counts[v] is how often vertex v was flipped so far, a 1-D NumPy array of int64, a "
        "fresh one in every call",
    ),
    Argument("current_cut", "the cut of these spins, a float"),
    Argument("best_cut", "the best cut on the walk so far, a float"),
    Argument("step", "the number of flips so far, an int"),
    Argument("max_steps", "the number of flips of the whole walk, an int"),
)

SIZES = (
    "winners are judged on sparse graphs of 200 to 20,000 vertices, where the time of a flip "
    "counts: work on whole arrays costs a few microseconds, a loop over all vertices much more"
)


def contract(profile: WalkProfile) -> Contract:
    """The contract; its task says from where and how long the profile lets a program walk."""
    return replace(dense_contract(profile), arguments=ARGUMENTS, sizes=SIZES)
