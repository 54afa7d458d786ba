"""Classical rules and solvers: the seeds of a search (`SEEDS`), and all that `bench` knows.

A rule returns the next node of a tour, a solver (`SOLVERS`) the whole tour, a list of all nodes.

D. J. Rosenkrantz, R. E. Stearns, P. M. Lewis, "An analysis of several heuristics for the traveling
salesman problem", 1977; J. L. Bentley, "Fast algorithms for geometric traveling salesman
problems", 1992.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from problems.base import Rule
from problems.shared.programs import score_each
from problems.shared.routing import nearest_neighbour, two_opt
from problems.tsp.instances import Instance, build_matrix
from problems.tsp.state import START

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

STARTS = 256
"""Tours that grow side by side."""

CLOSEST = 16
"""Nodes, the node itself included, among which its nearest neighbour is looked for first."""

BLOCK = 1 << 16
"""Edges looked at together."""


def best_nearest_neighbour(matrix: Matrix) -> list[int]:
    """The shortest of the nearest neighbour tours from all starts, the lowest such start."""
    import numpy as np

    closest = np.concatenate(
        [rows.argsort(axis=1, kind="stable")[:, :CLOSEST] for rows in _blocks(matrix)]
    )
    best = [
        _shortest(matrix, nearest_neighbours(matrix, closest, starts))
        for starts in _blocks(np.arange(len(matrix)))
    ]
    return list(map(int, _shortest(matrix, np.array(best))))


def _shortest(matrix: Matrix, tours: NDArray[np.int64]) -> NDArray[np.int64]:
    """The shortest of some tours, the first of several."""
    import numpy as np

    lengths = matrix[tours, np.roll(tours, -1, axis=1)].sum(axis=1)
    return np.array(tours[lengths.argmin()])


def _blocks(array: NDArray[Any]) -> list[NDArray[Any]]:
    return [array[first : first + STARTS] for first in range(0, len(array), STARTS)]


def nearest_neighbours(
    matrix: Matrix, closest: NDArray[np.int64], starts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """One tour a row, one row a start; a step looks at the `closest` first, then at all nodes."""
    import numpy as np

    rows = np.arange(len(starts))
    tours = np.zeros((len(starts), len(matrix)), dtype=np.int64)
    left = np.ones((len(starts), len(matrix)), dtype=bool)
    current = tours[:, 0] = starts
    for step in range(1, len(matrix)):
        left[rows, current] = False
        near = closest[current]
        is_left = left[rows[:, None], near]
        first = is_left.argmax(axis=1)
        following = near[rows, first]
        lost = np.flatnonzero(~is_left[rows, first])
        if len(lost):
            far = np.where(left[lost], matrix[current[lost]], np.inf)
            following[lost] = far.argmin(axis=1)
        current = tours[:, step] = following
    return tours


def greedy_edge(matrix: Matrix) -> list[int]:
    """Edges from the shortest on, unless they close a cycle or fork; ties by node numbers."""
    size = len(matrix)
    links: list[list[int]] = [[] for _ in range(size)]
    other_end = list(range(size))
    found = 0
    for node, other in _edges_by_length(matrix):
        if len(links[node]) < 2 and len(links[other]) < 2 and other_end[node] != other:
            links[node].append(other)
            links[other].append(node)
            first = other_end[node]
            last = other_end[other]
            other_end[first] = last
            other_end[last] = first
            found += 1
            if found == size - 1:
                break
    return _follow(links)


def _edges_by_length(matrix: Matrix) -> Iterator[tuple[int, int]]:
    """All edges as pairs of ascending nodes; few at a time become Python's."""
    import numpy as np

    nodes, others = (ends.astype(np.int32) for ends in np.triu_indices(len(matrix), 1))
    order = matrix[nodes, others].argsort(kind="stable")
    for first in range(0, len(order), BLOCK):
        block = order[first : first + BLOCK]
        yield from zip(nodes[block].tolist(), others[block].tolist(), strict=True)


def _follow(links: list[list[int]]) -> list[int]:
    """The nodes of a path from one of its ends to the other."""
    tour = [next(node for node, ends in enumerate(links) if len(ends) == 1)]
    before = -1
    while len(tour) < len(links):
        before, following = tour[-1], next(n for n in links[tour[-1]] if n != before)
        tour.append(following)
    return tour


def cheapest_insertion(matrix: Matrix) -> list[int]:
    """Grow a cycle by the node whose best place lengthens it least."""
    return _insert(matrix, lambda detours, nearest: detours)


def farthest_insertion(matrix: Matrix) -> list[int]:
    """Grow a cycle by the node farthest from it, each at its best place."""
    return _insert(matrix, lambda detours, nearest: -nearest)


def _insert(matrix: Matrix, rank: Callable[[Matrix, Matrix], Matrix]) -> list[int]:
    """Insertion from node 0 on: the node left of lowest rank goes where its detour is shortest.

    `rank` is given, for every node, its shortest detour and its distance to the cycle.
    """
    import numpy as np

    cycle = _Cycle(matrix)
    nearest = matrix[0].copy()
    left = np.ones(len(matrix), dtype=bool)
    left[0] = False
    while left.any():
        node = int(np.where(left, rank(cycle.detours, nearest), np.inf).argmin())
        cycle.insert(node)
        left[node] = False
        np.minimum(nearest, matrix[node], out=nearest)
    return cycle.nodes()


class _Cycle:
    """A growing cycle; `following[i]` comes after node `i`.

    Inserting node `k` at its best place lengthens the cycle by `detours[k]`; the place is after
    node `places[k]`.
    """

    def __init__(self, matrix: Matrix) -> None:
        import numpy as np

        self.matrix = matrix
        self.following = np.full(len(matrix), -1)
        self.following[0] = 0
        self.detours = 2 * matrix[0]
        self.places = np.zeros(len(matrix), dtype=np.int64)

    def insert(self, node: int) -> None:
        """Put a node at its best place; those that had the same place look for a new one."""
        import numpy as np

        before = self.places[node]
        after = self.following[before]
        self.following[before] = node
        self.following[node] = after
        stale = np.flatnonzero((self.places == before) & (self.following < 0))
        for place in (before, node):
            self._offer(place)
        self._search(stale)

    def _offer(self, place: int) -> None:
        """Let all nodes know of the edge that begins at `place`."""
        after = self.following[place]
        detours = self.matrix[place] + self.matrix[after] - self.matrix[place, after]
        better = detours < self.detours
        self.detours[better] = detours[better]
        self.places[better] = place

    def _search(self, nodes: NDArray[np.int64]) -> None:
        """The best places of some nodes, over the whole cycle."""
        import numpy as np

        places = np.flatnonzero(self.following >= 0)
        after = self.following[places]
        for node in nodes.tolist():
            row = self.matrix[node]
            detours = row[places] + row[after] - self.matrix[places, after]
            best = int(detours.argmin())
            self.places[node] = places[best]
            self.detours[node] = detours[best]

    def nodes(self) -> list[int]:
        """The nodes from 0 on."""
        tour = [0]
        following = self.following.tolist()
        while (node := following[tour[-1]]) != 0:
            tour.append(node)
        return tour


HEAD = """\
def select_next_node(current_node, destination_node, unvisited_nodes, distance_matrix):
    best_node, best_score = unvisited_nodes[0], float("inf")
    for node in unvisited_nodes:
"""
TAIL = """\
        if score < best_score:
            best_node, best_score = node, score
    return best_node
"""
STEP = "step = distance_matrix[current_node, node]"
WAY_BACK = "way_back = distance_matrix[node, destination_node]"
OTHERS = "others = unvisited_nodes[unvisited_nodes != node]"
REMOTENESS = "remoteness = distance_matrix[node, unvisited_nodes].mean()"

_of_all = score_each(HEAD, TAIL)
_of_near = score_each(HEAD.replace("unvisited_nodes:", "unvisited_nodes[:10]:"), TAIL)

SEEDS = (
    _of_all(
        "nearest-neighbour",
        "Nearest neighbour: go to the unvisited node that is closest.",
        "score = distance_matrix[current_node, node]",
    ),
    _of_all(
        "far-side-first",
        "Close to here but far from the end: leave what lies around the end for the way back.",
        STEP,
        WAY_BACK,
        "score = step - 0.2 * way_back",
    ),
    _of_all(
        "turn-home",
        "Close to here, and away from the end as long as many nodes are left.",
        STEP,
        WAY_BACK,
        "share_left = len(unvisited_nodes) / len(distance_matrix)",
        "score = step - 0.3 * way_back * share_left",
    ),
    _of_near(
        "look-ahead",
        "Look one step ahead: the way to a near node, and some of the way on from there.",
        OTHERS,
        STEP,
        "onward = distance_matrix[node, others].min()",
        "score = step + 0.2 * onward",
    ),
    _of_near(
        "lonely-first",
        "Regret: prefer a near node whose own nearest neighbour is far: left, it costs a detour.",
        OTHERS,
        STEP,
        "regret = distance_matrix[node, others].min()",
        "score = step - 0.5 * regret",
    ),
    _of_near(
        "outskirts-first",
        "Prefer a near node that is far from the rest: work along the rim, not in the middle.",
        STEP,
        REMOTENESS,
        "score = step - 0.2 * remoteness",
    ),
    _of_near(
        "relatively-near",
        "The near node whose distance is smallest compared with its distances to the rest.",
        STEP,
        REMOTENESS,
        "score = step / max(remoteness, 1e-9)",
    ),
)


def as_actions(tour: Sequence[int]) -> list[int]:
    """A tour from node 0 on as the actions that lead along it; the last node needs none."""
    first = tour.index(START)
    return [*tour[first + 1 :], *tour[:first]][:-1]


def _solver(name: str, idea: str, build: Callable[[NDArray[np.float64]], list[int]]) -> Rule:
    """A rule that builds whole tours from the distances."""

    def solve(instance: Instance) -> list[int]:
        return as_actions(build(build_matrix(instance)))

    return Rule(name, idea, solve=solve)


def _improved(matrix: NDArray[np.float64]) -> list[int]:
    return two_opt(matrix, nearest_neighbour(matrix))


SOLVERS = (
    _solver(
        "nearest-neighbour-best-start",
        "The shortest nearest neighbour tour over all nodes to start from.",
        best_nearest_neighbour,
    ),
    _solver("greedy-edge", "The shortest edges that fit into one tour, first.", greedy_edge),
    _solver(
        "cheapest-insertion",
        "Grow a cycle by the node that lengthens it least.",
        cheapest_insertion,
    ),
    _solver(
        "farthest-insertion",
        "Grow a cycle by the node farthest from it, at its best place.",
        farthest_insertion,
    ),
    _solver("nn-2opt", "The nearest neighbour tour, improved by 2-opt.", _improved),
)
RULES = (*SEEDS, *SOLVERS)
