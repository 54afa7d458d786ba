"""The text contract of the travelling salesman problem."""

from __future__ import annotations

from problems.base import Argument, Contract, Field
from problems.shared.routing_problem import EUCLIDEAN, ROUNDED, routing_contract

TASK = """\
Travelling salesman problem. The nodes lie in the plane; a tour visits each of them once and
returns to where it started. It starts at node 0 and is built one node at a time: at every step the
program chooses the next node among those not visited yet. The last node left is appended without
asking, and the tour then returns to node 0. Nodes are numbered from 0."""

ARGUMENTS = (
    Argument("current_node", "the node visited last, an int"),
    Argument("destination_node", "the node where the tour will end, an int, always 0"),
    Argument(
        "unvisited_nodes",
        "the nodes not visited yet, at least two, nearest to current_node first (ties: lowest "
        "number first), a 1-D NumPy array of int64, a fresh one in every call",
    ),
)

SHOWN = (
    Field("distance", "length", "the way from current_node to the node"),
    Field("rank", "count", "unvisited nodes that are nearer to current_node, 0 for the nearest"),
    Field("distance_to_destination", "length", "the way from the node to destination_node"),
    Field("nearest_other", "length", "the way from the node to the closest other unvisited one"),
    Field("mean_to_others", "length", "the mean way from the node to the other unvisited ones"),
    Field("unvisited", "count", "nodes not visited yet"),
    Field("step", "count", "nodes chosen so far"),
)
"""The numbers of `Tsp.fields`."""

SIZES = (
    "winners are judged on instances of 50 and 200 nodes and of up to 5,000, where the time of a "
    "decision counts"
)


GIVEN = (
    "a whole number by the rule of TSPLIB or a number of the table that came with the instance; "
    "the same in both directions, a detour may be shorter"
)
"""Distances of the option `distances=tsplib`, in words."""


def contract(rounded: bool) -> Contract:
    """The contract; with `rounded` distances when the option `nint` is set."""
    return _contract(TASK, ROUNDED if rounded else EUCLIDEAN, SHOWN)


def contract_of_given() -> Contract:
    """The contract where distances are those that come with an instance, of nodes anywhere."""
    task = TASK.replace("The nodes lie in the plane; a tour", "A tour")
    return _contract(task, GIVEN, SHOWN)


def _contract(task: str, kind: str, shown: tuple[Field, ...]) -> Contract:
    return routing_contract(
        task,
        ARGUMENTS,
        nodes="the nodes i and j",
        result="one of unvisited_nodes, as an int or a NumPy integer",
        objective="minimise the length of the closed tour, the way back to node 0 included",
        sizes=SIZES,
        shown=shown,
        kind=kind,
    )
