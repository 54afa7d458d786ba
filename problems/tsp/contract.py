"""The text contract of the travelling salesman problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

from problems.base import Argument
from problems.shared.routing_contract import routing_contract

if TYPE_CHECKING:
    from problems.base import Contract

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


def contract(rounded: bool) -> Contract:
    """The contract; with `rounded` distances when the option `nint` is set."""
    return routing_contract(
        TASK,
        ARGUMENTS,
        nodes="the nodes i and j",
        result="one of unvisited_nodes, as an int or a NumPy integer",
        objective="minimise the length of the closed tour, the way back to node 0 included",
        rounded=rounded,
    )
