"""A tree over all programs, as in MCTS-AHD (Zheng et al. 2025).

A child hangs under its first parent; under the root hang programs without parents, and children of
operators that begin with `tree_branch`. A program is as good as the best under it, and was visited
once for itself and once for each program under it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from engine.domain.search_state import alive
from engine.domain.values import Candidate
from engine.search.selection import Draw, cost

EXPLORATION = 0.1
"""Published: what visits weigh beside quality at the begin of a search; 0 at its end."""

WIDENING = 0.5
"""Published: a node is due while its visits to this power are more than its children."""

DEEPEST = 10
"""Published: no deeper node is looked for."""


@dataclass(slots=True)
class Node:
    """A program and the programs under it; the root has none of its own."""

    candidate: Candidate | None = None
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)
    visits: int = 0
    quality: float = -math.inf

    def under(self) -> Iterator[Node]:
        """The node and all nodes under it."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(node.children)

    @property
    def is_due(self) -> bool:
        """Whether it has fewer children than its visits call for (progressive widening)."""
        return int(self.visits**WIDENING) > len(self.children)


def tree_leaf(draw: Draw) -> Candidate | None:
    """The program at the end of the path that looks best (upper confidence bounds for trees)."""
    return _path(draw)[-1].candidate


def tree_due(draw: Draw) -> Candidate | None:
    """The first program on that path that is due for another child; else the one at its end."""
    path = _path(draw)
    inner = (node for node in path[1:-1] if node.is_due)
    return next(inner, path[-1]).candidate


def tree_ancestor(draw: Draw) -> Candidate | None:
    """The program above the one drawn before; None under the root."""
    if not draw.drawn:
        return None
    _, nodes = grow(draw)
    node = nodes.get(draw.drawn[-1].id)
    return node.parent.candidate if node is not None and node.parent is not None else None


def tree_branch(draw: Draw) -> Candidate | None:
    """Any program of a branch of the root that none was drawn from; None where there is none."""
    taken = {candidate.id for candidate in draw.drawn}
    root, _ = grow(draw)
    branches = [[n.candidate for n in top.under() if n.candidate] for top in root.children]
    fresh = [branch for branch in branches if taken.isdisjoint(c.id for c in branch)]
    return draw.rng.choice(draw.rng.choice(fresh)) if fresh else None


def grow(draw: Draw) -> tuple[Node, dict[str, Node]]:
    """The root of the tree over all programs seen, and its nodes by program."""
    root = Node()
    nodes: dict[str, Node] = {}
    for candidate in alive(draw.seen):
        above = nodes.get(candidate.parents[0]) if candidate.parents else None
        if above is None or tree_branch in draw.samplers.get(candidate.operator, ())[:1]:
            above = root
        node = Node(candidate, above, visits=1, quality=-cost(candidate))
        nodes[candidate.id] = node
        above.children.append(node)
        _pass_up(node)
    return root, nodes


def _pass_up(node: Node) -> None:
    """Tell a new node to those above it."""
    above = node.parent
    while above is not None:
        above.visits += 1
        above.quality = max(child.quality for child in above.children)
        above = above.parent


def _path(draw: Draw) -> list[Node]:
    """From the root down, each time to the child of the highest bound, the oldest of equals."""
    root, nodes = grow(draw)
    costs = [cost(node.candidate) for node in nodes.values() if node.candidate is not None]
    worst = max(costs, default=0.0)
    width = worst - min(costs, default=0.0)
    exploration = EXPLORATION * (1 - spent(draw))

    def bound(child: Node, visits: int) -> float:
        quality = (child.quality + worst) / width if width else 0.0
        return quality + exploration * math.sqrt(math.log(visits + 1) / child.visits)

    path = [root]
    while path[-1].children and len(path) <= DEEPEST:
        node = path[-1]
        path.append(max(node.children, key=lambda child: bound(child, node.visits)))
    return path


def spent(draw: Draw) -> float:
    """The share of a search that is over, from 0 to 1: by children where those or calls end it."""
    settings = draw.settings
    goal = settings.total_children or settings.calls
    made = sum(c.generation > 0 for c in draw.seen) if goal else draw.generation - 1
    return min(1.0, made / max(1, goal or settings.generations))
