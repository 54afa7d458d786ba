"""Ordinary programs that choose an action, most of them with arrays."""

from __future__ import annotations

from functools import partial

from tests.engine.evaluate.red_team.trick import NUMPY, Trick, pure


def with_numpy(kind: str, contract: str, name: str, lines: str, top: str = NUMPY) -> Trick:
    """An ordinary program that imports NumPy unless `top` says otherwise."""
    return pure(kind, name, lines, top, contract)


tour = partial(with_numpy, "tour", "tsp")
route = partial(with_numpy, "routes", "cvrp")
cut = partial(with_numpy, "cut", "maxcut")

TOURS = (
    tour("nearest",
         "return unvisited_nodes[np.argmin(distance_matrix[current_node, unvisited_nodes])]"),
    tour("weights in a dict", """
         near = distance_matrix[current_node, unvisited_nodes]
         far = distance_matrix[destination_node, unvisited_nodes]
         return int(unvisited_nodes[np.argmin(WEIGHTS["near"] * near - WEIGHTS["far"] * far)])
         """, f"{NUMPY}\n\nWEIGHTS = {{'near': 1.0, 'far': 0.2}}"),
    tour("min with key",
         "return min(unvisited_nodes, key=lambda k: distance_matrix[current_node, k])",
         ""),
    tour("nested loops", """
         best, choice = float("inf"), unvisited_nodes[0]
         for i in unvisited_nodes:
             total = distance_matrix[current_node, i]
             for j in unvisited_nodes:
                 total += 0.01 * distance_matrix[i, j]
             if total < best:
                 best, choice = total, i
         return choice
         """, ""),
    tour("two steps ahead", """
         best = min(
             (distance_matrix[current_node, i] + min(distance_matrix[i, j] for j in unvisited_nodes
              if j != i), i) for i in unvisited_nodes[:5]
         )
         return best[1]
         """, ""),
    tour("copy of the matrix", """
         d = distance_matrix.copy()
         np.fill_diagonal(d, np.inf)
         d[:, current_node] = np.inf
         order = np.argsort(d[current_node][unvisited_nodes], kind="stable")
         return int(unvisited_nodes[order[0]])
         """),
    tour("masked array of booleans", """
         near = distance_matrix[current_node, unvisited_nodes]
         mask = near <= np.percentile(near, 30)
         close = unvisited_nodes[mask]
         away = distance_matrix[close][:, unvisited_nodes].mean(axis=1)
         return int(close[np.argmax(away)])
         """),
    tour("greedy completion", """
         def length(first):
             left, here, total = set(unvisited_nodes.tolist()), first, 0.0
             left.discard(first)
             while left:
                 following = min(left, key=lambda k: (distance_matrix[here, k], k))
                 total += distance_matrix[here, following]
                 left.remove(following)
                 here = following
             return total

         return min(unvisited_nodes[:3].tolist(), key=lambda k: (length(k), k))
         """, ""),
    tour("array filled by hand", """
         n = len(unvisited_nodes)
         scores = np.empty(n)
         for k in range(n):
             scores[k] = distance_matrix[current_node, unvisited_nodes[k]]
         return int(unvisited_nodes[scores.argmin()])
         """),
    tour("division with where= and out=", """
         near = distance_matrix[current_node, unvisited_nodes]
         inverse = np.divide(1.0, near, out=np.zeros_like(near), where=near > 0)
         return int(unvisited_nodes[np.argmax(inverse)])
         """),
    tour("einsum and linalg", """
         block = distance_matrix[np.ix_(unvisited_nodes, unvisited_nodes)]
         score = np.einsum("ij->i", block) + np.linalg.norm(block, axis=1)
         return int(unvisited_nodes[np.lexsort((unvisited_nodes, score))[0]])
         """),
    tour("rebound argument", """
         unvisited_nodes = list(unvisited_nodes)
         unvisited_nodes.sort(key=lambda k: distance_matrix[current_node][k])
         return unvisited_nodes[0]
         """, ""),
    tour("annotated signature", "nodes: np.ndarray = unvisited_nodes\nreturn int(nodes[0])",
         "import numpy as np\nfrom numpy.typing import NDArray\n\nArray = NDArray[np.float64]"),
    tour("masked arrays", """
         near = np.ma.masked_less(distance_matrix[current_node, unvisited_nodes], 0)
         return int(unvisited_nodes[int(near.argmin())])
         """),
)  # fmt: skip
ROUTES = (
    route("nearest that fits", "return int(unvisited_nodes[np.argmin("
          "distance_matrix[current_node, unvisited_nodes])])"),
    route("savings", """
          s = (distance_matrix[current_node, depot] + distance_matrix[depot, unvisited_nodes]
               - distance_matrix[current_node, unvisited_nodes])
          if current_node == depot:
              return int(unvisited_nodes[np.argmax(distance_matrix[depot, unvisited_nodes])])
          return int(unvisited_nodes[np.argmax(s)])
          """),
    route("return when nearly empty", """
          share = rest_capacity / max(float(demands.sum()), 1e-9)
          near = [distance_matrix[current_node][i] for i in unvisited_nodes]
          if current_node != depot and share < 0.01:
              return depot
          return unvisited_nodes[int(np.argmin(near))]
          """),
    route("weights in a list", """
          terms = np.stack([
              distance_matrix[current_node, unvisited_nodes],
              -demands[unvisited_nodes] / rest_capacity,
          ])
          return int(unvisited_nodes[np.argmin(np.dot(WEIGHTS, terms))])
          """, f"{NUMPY}\n\nWEIGHTS = [1.0, 0.2]"),
)  # fmt: skip
CUTS = (
    cut("steepest", "return int(np.argmax(spins * (adjacency @ spins)))"),
    cut("steepest with a tabu list", """
        gains = spins * (adjacency @ spins)
        for v in flip_history[-TENURE:]:
            gains[v] = -np.inf
        return int(np.argmax(gains))
        """, f"{NUMPY}\n\nTENURE = 5"),
    cut("a generator seeded by the step", """
        rng = np.random.default_rng(step)
        gains = spins * (adjacency @ spins) + 0.1 * rng.random(len(spins))
        return int(np.argmax(gains))
        """),
    cut("last flips in a dict", """
        last = {}
        for when, v in enumerate(flip_history):
            last[v] = when
        gains = spins * (adjacency @ spins)
        order = sorted(range(len(spins)), key=lambda v: (-gains[v], last.get(v, -1)))
        return order[0]
        """),
    cut("loops over a graph", """
        n = len(spins)
        best, choice = -1e18, 0
        for i in range(n):
            gain = 0.0
            for j in range(n):
                gain += adjacency[i, j] * spins[i] * spins[j]
            if gain > best and (not flip_history or flip_history[-1] != i):
                best, choice = gain, i
        return choice
        """, ""),
    cut("cooling with the step", """
        heat = math.exp(-5.0 * step / max_steps)
        gains = spins * (adjacency @ spins)
        noise = np.sin(np.arange(len(spins)) * 12.9898 + step * 78.233) * heat
        return int(np.argmax(gains + noise * (best_cut - current_cut + 1.0)))
        """, "import math\n\nimport numpy as np"),
)  # fmt: skip
PROGRAMS: tuple[Trick, ...] = (*TOURS, *ROUTES, *CUTS)
