"""The text contract of the capacitated vehicle routing problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

from problems.base import Argument
from problems.shared.routing_contract import routing_contract

if TYPE_CHECKING:
    from problems.base import Contract

TASK = """\
Capacitated vehicle routing problem. Customers with demands lie in the plane; a vehicle of limited
capacity starts at the depot, node 0, and delivers to each customer once, in one visit, on as many
routes as it takes. The routes are built one after the other, one node at a time: at every step the
program chooses the next customer among those that fit the remaining capacity, or returns to the
depot, which closes the route and refills the vehicle. It cannot return when it is at the depot.
When no unvisited customer fits, and after the last one, the vehicle returns without asking. Nodes
are numbered from 0, customers from 1."""

ARGUMENTS = (
    Argument("current_node", "the node where the vehicle is, an int; depot at a route's start"),
    Argument("depot", "the depot, an int, always 0"),
    Argument(
        "unvisited_nodes",
        "the customers not visited yet whose demand fits rest_capacity, at least one, ascending, "
        "a 1-D NumPy array of int64, a fresh one in every call",
    ),
    Argument("rest_capacity", "what the vehicle can still deliver on this route, a float"),
    Argument(
        "demands",
        "demands[i] is the demand of node i, 0 for the depot, a 1-D NumPy array of float64, "
        "read-only",
    ),
)


def contract(rounded: bool) -> Contract:
    """The contract; with `rounded` distances when the option `nint` is set."""
    return routing_contract(
        TASK,
        ARGUMENTS,
        nodes="the nodes i and j, depot included",
        result="one of unvisited_nodes, or depot to return, as an int or a NumPy integer",
        objective="minimise the total length of all routes, each closed at the depot",
        rounded=rounded,
    )
