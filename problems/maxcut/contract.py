"""The text contract of the maximum cut problem."""

from __future__ import annotations

from textwrap import fill

from problems.base import Argument, Contract, Field
from problems.maxcut.profile import WalkProfile

TASK = """\
Maximum cut. A graph has edges with weights; every vertex has a spin, +1 or -1, and the cut is the
sum of the weights of all edges whose two ends have different spins. At the start {start}.
At every step the program chooses a vertex, whose spin is then flipped; any vertex may be chosen
at any step, also again. The walk ends after {length}. What counts is the best cut {where}, the
start included. Vertices are numbered from 0."""

WIDTH = 98

ARGUMENTS = (
    Argument(
        "spins",
        "the spins, a 1-D NumPy array of float64, each +1.0 or -1.0, a fresh one in every call",
    ),
    Argument(
        "adjacency",
        "adjacency[i, j] is the weight of the edge between the vertices i and j, 0.0 where there "
        "is none, a symmetric 2-D NumPy array of float64, read-only",
    ),
    Argument("current_cut", "the cut of these spins, a float"),
    Argument("best_cut", "the best cut on the walk so far, a float"),
    Argument("step", "the number of flips so far, an int"),
    Argument("max_steps", "the number of flips of the whole walk, an int"),
    Argument("flip_history", "the vertices flipped so far in order, a tuple of int"),
)

SHOWN = (
    Field("gain", "weight", "what the cut gains when the vertex is flipped"),
    Field("rank", "count", "vertices of a larger gain, 0 for the largest"),
    Field("age", "count", "flips since the vertex was flipped last, max_steps if it never was"),
    Field("count", "count", "how often the vertex was flipped so far"),
    Field("degree", "count", "edges of the vertex"),
)
"""The numbers of `Maxcut.fields` that are no arguments."""

OBJECTIVE = (
    "maximise the best cut reached. Costs are always minimised here, so a cost is the cut with "
    "its sign turned: -199 is a cut of 199 and better than -190, and a difference below 0 is a "
    "larger cut"
)

SIZES = (
    "winners are judged on graphs of 125 to 800 vertices, sparse and dense, where the time of a "
    "flip counts"
)


def contract(profile: WalkProfile) -> Contract:
    """The contract; its task says from where and how long the profile lets a program walk."""
    start = "all spins are +1" if profile.equal else "the spins are random"
    length = profile.length + (", n the number of vertices" if profile.per_vertex else "")
    where = f"on any of {profile.attempts} walks" if profile.attempts > 1 else "on the way"
    return Contract(
        task=fill(TASK.format(start=start, length=length, where=where), WIDTH),
        function="select_flip_node",
        arguments=ARGUMENTS,
        answer="action",
        result="the vertex to flip, as an int or a NumPy integer",
        objective=OBJECTIVE,
        sizes=SIZES,
        shown=SHOWN,
    )
