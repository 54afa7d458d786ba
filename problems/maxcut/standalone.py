"""The rules of the maximum cut problem, which need NumPy and nothing else.

An instance is the number of vertices and the edges as triples (vertex, vertex, weight), and
for walks the spins at the start of every attempt and the number of flips in an attempt. At
every step a program chooses a vertex, whose spin is flipped, and the best cut on the way
counts; it is shown a matrix of weights, or edges and gains. Or a program returns the sides
of all vertices at once. Weights are whole numbers, so that sums of them are exact in any
order.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

Spins = tuple[int, ...]
Instance = tuple[int, tuple[tuple[int, int, int], ...], tuple[Spins, ...], int]
Read = Callable[[int, Any], int]


class Edges(NamedTuple):
    """Vertex `v` has edges to `neighbours[starts[v]:starts[v + 1]]`, ascending.

    Their weights lie at the same places. Every edge is listed twice, once from each end; the
    arrays are read-only.
    """

    starts: Any
    neighbours: Any
    weights: Any

    def gains(self, spins: Any) -> Any:
        """What the cut gains when a vertex is flipped, for all of them."""
        import numpy as np

        terms = self.weights * spins[self.neighbours]
        sums = np.concatenate([[0.0], terms.cumsum()])
        return spins * (sums[self.starts[1:]] - sums[self.starts[:-1]])

    def flip(self, spins: Any, gains: Any, vertex: int) -> None:
        """Flip a spin, and keep the gains those of the spins: only neighbours' ones change."""
        ends = slice(self.starts[vertex], self.starts[vertex + 1])
        others = self.neighbours[ends]
        gains[others] -= 2 * spins[vertex] * self.weights[ends] * spins[others]
        gains[vertex] = -gains[vertex]
        spins[vertex] = -spins[vertex]


def ask(choose: Callable[..., Any], step: int, *shown: Any) -> Any:
    """What a program answers; what it raises gets a note of the step."""
    try:
        return choose(*shown)
    except Exception as error:
        error.add_note(f"step {step}")
        raise


def walk(
    choose: Callable[..., Any],
    matrix: Any,
    spins: Any,
    cut: float,
    max_steps: int,
    forced: Sequence[int] = (),
    read: Read = lambda step, answer: int(answer),
) -> tuple[tuple[int, ...], float]:
    """The flips of an attempt, and its best cut; the program is shown the matrix of weights.

    `cut` is that of the `spins`, which are changed. The `forced` flips are done first;
    `read` says which vertex an answer at a step is.
    """
    best = cut
    flips: tuple[int, ...] = ()
    for step in range(max_steps):
        if step < len(forced):
            answer: Any = forced[step]
        else:
            answer = ask(choose, step, spins.copy(), matrix, cut, best, step, max_steps, flips)
        vertex = read(step, answer)
        cut += float(spins[vertex] * (matrix[vertex] @ spins))
        best = max(best, cut)
        spins[vertex] = -spins[vertex]
        flips += (vertex,)
    return flips, best


def walk_edges(
    choose: Callable[..., Any],
    graph: Edges,
    spins: Any,
    cut: float,
    max_steps: int,
    forced: Sequence[int] = (),
    read: Read = lambda step, answer: int(answer),
) -> tuple[tuple[int, ...], float]:
    """As `walk`, but the program is shown edges and gains, which are kept up flip by flip."""
    import numpy as np

    gains = graph.gains(spins)
    last = np.full(len(spins), -1)
    counts = np.zeros(len(spins), dtype=np.int64)
    best = cut
    flips: list[int] = []
    for step in range(max_steps):
        if step < len(forced):
            answer: Any = forced[step]
        else:
            known = (last.copy(), counts.copy(), cut, best, step, max_steps)
            answer = ask(choose, step, spins.copy(), gains.copy(), *graph, *known)
        vertex = read(step, answer)
        cut += float(gains[vertex])
        best = max(best, cut)
        graph.flip(spins, gains, vertex)
        last[vertex] = step
        counts[vertex] += 1
        flips.append(vertex)
    return tuple(flips), best


def solve(choose: Callable[..., Any], instance: Instance) -> tuple[list[int], float]:
    """The vertices that the program flips, in order, and minus the best cut on the way."""
    import numpy as np

    matrix = np.zeros((instance[0], instance[0]))
    for u, v, weight in instance[1]:
        matrix[u, v] = matrix[v, u] = weight
    matrix.flags.writeable = False
    return try_all(walk, choose, matrix, instance)


def solve_edges(choose: Callable[..., Any], instance: Instance) -> tuple[list[int], float]:
    """The vertices that the program flips, in order, and minus the best cut on the way."""
    return try_all(walk_edges, choose, find_edges(*instance[:2]), instance)


def try_all(
    attempt: Callable[..., Any], choose: Callable[..., Any], graph: Any, instance: Instance
) -> tuple[list[int], float]:
    """The flips of all attempts, and minus the best cut."""
    import numpy as np

    _, edges, starts, max_steps = instance
    flips: list[int] = []
    best = []
    for start in starts:
        cut = find_cut(edges, start)
        taken, reached = attempt(choose, graph, np.array(start, dtype=float), cut, max_steps)
        flips += taken
        best.append(reached)
    return flips, -max(best)


def solve_whole(
    program: Callable[..., Any], instance: tuple[int, tuple[tuple[int, int, int], ...]]
) -> tuple[list[int], float]:
    """The side of every vertex by the program, and minus the cut."""
    size, edges = instance
    sides = [int(side) for side in program(*find_edges(size, edges))]
    if len(sides) != size or not ({*sides} <= {0, 1} or {*sides} <= {-1, 1}):
        raise ValueError("not a side for every vertex")
    return sides, -find_cut(edges, sides)


def find_cut(edges: tuple[tuple[int, int, int], ...], sides: Sequence[int]) -> float:
    """The sum of the weights of all edges whose ends are on different sides."""
    return float(sum(weight for u, v, weight in edges if sides[u] != sides[v]))


def find_edges(size: int, edges: tuple[tuple[int, int, int], ...]) -> Edges:
    """The edges of every vertex."""
    import numpy as np

    both = sorted([*edges, *((v, u, weight) for u, v, weight in edges)])
    starts = np.bincount([u for u, _, _ in both], minlength=size).cumsum()
    neighbours = np.array([v for _, v, _ in both], dtype=np.int64)
    weights = np.array([weight for _, _, weight in both], dtype=float)
    arrays = (np.concatenate([[0], starts]), neighbours, weights)
    return Edges(*(np.frombuffer(one.tobytes(), one.dtype) for one in arrays))
