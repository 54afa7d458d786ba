"""A hostile or impure program as a value, and short ways to write one down."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent, indent
from typing import Literal

Expected = Literal["refused", "nondeterministic", "harmless", "passes"]
"""What has to become of a program: the gate refuses it, a proof by repetition finds that it is no
function of its arguments, the sandbox lets it do no harm, or it is pure and passes."""

HEADS = {
    "toy": "score(item, state)",
    "jssp": "score(feature, state)",
    "tsp": "select_next_node(current_node, destination_node, unvisited_nodes, distance_matrix)",
    "cvrp": "select_next_node(current_node, depot, unvisited_nodes, rest_capacity, demands, "
    "distance_matrix)",
    "maxcut": "select_flip_node(spins, adjacency, current_cut, best_cut, step, max_steps, "
    "flip_history)",
}
"""The signature of each contract."""

NUMPY = "import numpy as np"


@dataclass(frozen=True, slots=True)
class Trick:
    """A program that breaks the rules in one way.

    `kind` names the way, `contract` is a key of `HEADS`, `known` marks a trick that an earlier
    test of the gate had found.
    """

    kind: str
    name: str
    code: str
    expected: Expected = "refused"
    contract: str = "toy"
    known: bool = False


def write(lines: str, top: str = NUMPY, contract: str = "toy") -> str:
    """A whole program: `top` outside, `lines` inside the contract's function."""
    inside = indent(dedent(lines).strip("\n"), "    ")
    return f"{dedent(top).strip()}\n\n\ndef {HEADS[contract]}:\n{inside}\n"


def trick(
    kind: str,
    name: str,
    lines: str,
    top: str = NUMPY,
    expected: Expected = "refused",
    contract: str = "toy",
    known: bool = False,
) -> Trick:
    """A trick whose lines stand inside the contract's function."""
    return Trick(kind, name, write(lines, top, contract), expected, contract, known)


def pure(kind: str, name: str, lines: str, top: str = "", contract: str = "toy") -> Trick:
    """An ordinary program, which imports nothing unless `top` does."""
    return Trick(f"ordinary: {kind}", name, write(lines, top, contract), "passes", contract)
