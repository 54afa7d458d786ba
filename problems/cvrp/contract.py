"""The text contract of the capacitated vehicle routing problem."""

from __future__ import annotations

from problems.base import Argument, Contract, Field
from problems.shared.routing_problem import EUCLIDEAN, ROUNDED, routing_contract

TASK = """\
Capacitated vehicle routing problem. Customers with demands lie in the plane; a vehicle of limited
capacity starts at the depot, node 0, and delivers to each customer once, in one visit, on as many
routes as it takes. The routes are built one after the other, one node at a time: at every step the
program chooses the next customer among those that fit the remaining capacity, or returns to the
depot, which closes the route and refills the vehicle. It cannot return when it is at the depot.
When no unvisited customer fits, and after the last one, the vehicle returns without asking. Nodes
are numbered from 0, customers from 1."""

DEMANDS = Argument(
    "demands",
    "demands[i] is the demand of node i, 0 for the depot, a 1-D NumPy array of float64, read-only",
)
ARGUMENTS = (
    Argument("current_node", "the node where the vehicle is, an int; depot at a route's start"),
    Argument("depot", "the depot, an int, always 0"),
    Argument(
        "unvisited_nodes",
        "the customers not visited yet whose demand fits rest_capacity, at least one, ascending, "
        "a 1-D NumPy array of int64, a fresh one in every call",
    ),
    Argument("rest_capacity", "what the vehicle can still deliver on this route, a float"),
    DEMANDS,
)

SHOWN = (
    Field("distance", "length", "the way from current_node to the node"),
    Field("rank", "count", "unvisited_nodes that are nearer to current_node, 0 for the nearest"),
    Field("distance_to_depot", "length", "the way from the node to the depot"),
    Field(
        "saving",
        "length",
        "what going there directly saves over going there by the depot: way home from "
        "current_node + distance_to_depot - distance",
    ),
    Field(
        "nearest_after",
        "length",
        "the way from the node to the closest other customer not visited yet, also one that does "
        "not fit; home after the last",
    ),
    Field("demand", "load", "the node's demand, 0 for the depot"),
    Field("capacity_after", "load", "rest_capacity after that step; all of it at the depot"),
    Field("is_return", "", "1 for the return to the depot"),
    Field("fitting", "count", "unvisited_nodes: customers that fit"),
    Field("unvisited", "count", "customers not visited yet, those that do not fit included"),
    Field("step", "count", "choices made so far"),
)
"""The numbers of `Cvrp.fields`."""

SIZES = (
    "winners are judged on instances of 50 and 200 customers and of up to 1,000, where the time "
    "of a decision counts"
)


def contract(rounded: bool) -> Contract:
    """The contract; `rounded` distances under `nint=true`."""
    return routing_contract(
        TASK,
        ARGUMENTS,
        nodes="the nodes i and j, depot included",
        result="one of unvisited_nodes, or depot to return, as an int or a NumPy integer",
        objective="minimise the total length of all routes, each closed at the depot",
        sizes=SIZES,
        shown=SHOWN,
        kind=ROUNDED if rounded else EUCLIDEAN,
    )
