"""Files that hold graphs: edge lists (Gset, DIMACS), NumPy archives of ours, ECO-DQN's pickles."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from problems.errors import UserError
from problems.maxcut.instances import as_graph, as_record
from problems.sets.files import ArrayUnpickler, File, read_pickle
from problems.sets.library import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]


class NetworkX:
    """Stands in for `networkx.Graph`; `_adj[vertex][other]` holds the attributes of an edge."""

    _adj: dict[Any, dict[Any, dict[str, Any]]]

    def matrix(self) -> Matrix:
        """The weights, vertices in the order in which they came."""
        import numpy as np

        numbers = {vertex: number for number, vertex in enumerate(self._adj)}
        matrix = np.zeros((len(numbers), len(numbers)))
        for vertex, others in self._adj.items():
            for other, data in others.items():
                matrix[numbers[vertex], numbers[other]] = data.get("weight", 1)
        return matrix


class Sparse:
    """Stands in for `scipy.sparse.csr_matrix`; row `i` has `data[indptr[i]:indptr[i + 1]]`."""

    indptr: NDArray[Any]
    indices: NDArray[Any]
    data: NDArray[Any]

    def matrix(self) -> Matrix:
        """The weights."""
        import numpy as np

        size = len(self.indptr) - 1
        matrix = np.zeros((size, size))
        matrix[np.arange(size).repeat(np.diff(self.indptr)), self.indices] = self.data
        return matrix


class Ignored:
    """Stands in for what else a graph carries with it: views that say nothing new."""

    def __setstate__(self, state: object) -> None:
        """Forget it."""


class GraphUnpickler(ArrayUnpickler):
    """Builds graphs besides arrays."""

    def find_class(self, module: str, name: str) -> Any:
        """Our stand-in for a class. Raises UnpicklingError for any other name."""
        if (module, name) == ("builtins", "dict"):
            return dict
        if module.startswith("networkx."):
            return NetworkX if name == "Graph" else Ignored
        if module in ("scipy.sparse.csr", "scipy.sparse._csr") and name == "csr_matrix":
            return Sparse
        return super().find_class(module, name)


def read_graphs(file: File) -> list[Matrix]:
    """The weights of every graph in a pickled list; none when it is a list of something else.

    Raises UserError for a pickle that is broken or holds more.
    """
    import numpy as np

    found = read_pickle(file, GraphUnpickler)
    if not isinstance(found, list) or not all(
        isinstance(one, NetworkX | Sparse | np.ndarray) for one in found
    ):
        return []
    try:
        matrices = [one if isinstance(one, np.ndarray) else one.matrix() for one in found]
        symmetric = all((matrix == matrix.T).all() for matrix in matrices)
    except (AttributeError, TypeError, ValueError, IndexError) as error:
        raise UserError(f"{file.name}: a graph in it is incomplete ({error})") from error
    if not symmetric:
        raise UserError(f"{file.name}: a graph in it is not symmetric")
    return matrices


MOST = 1 << 15
"""Vertices of the largest graph: its matrix has 8 GiB."""


COMMENT = re.compile(r"[#%]|c(\s|$)")
"""How comment lines begin, also those of DIMACS."""


def read_edge_list(file: File) -> list[Record]:
    """Gset's text, also called rudy: `vertices edges`, then a line an edge, `u v` or `u v weight`.

    Vertices count from 1 there. DIMACS writes `p edge vertices edges` and `e u v`, which is read
    as well. Comment lines may stand between. Raises UserError.
    """
    lines = (line.strip() for line in file.text().splitlines())
    rows = [line.split() for line in lines if line and not COMMENT.match(line)]
    if rows and rows[0][0] == "p":
        rows = _without_letters(file, rows)
    if not rows or not _is_edge_list(rows):
        return []
    size = int(rows[0][0])
    edges = int(rows[0][1])
    if len(rows) - 1 != edges:
        raise UserError(f"{file.name}: {edges} edges announced, {len(rows) - 1} found")
    if any(int(vertex) < 1 for row in rows[1:] for vertex in row[:2]):
        raise UserError(f"{file.name}: it has a vertex 0; vertices count from 1")
    found = [[int(row[0]) - 1, int(row[1]) - 1, *(row[2:] or ["1"])] for row in rows[1:]]
    is_weighted = all(len(row) == 3 for row in rows[1:])
    return [_record(file, _title(file.stem), size, found, is_weighted=is_weighted)]


def _without_letters(file: File, rows: list[list[str]]) -> list[list[str]]:
    """Lines of DIMACS as those of a plain edge list. Raises UserError for any other line."""
    for row in rows[1:]:
        if row[0] not in ("e", "a"):
            raise UserError(f"{file.name}: a line {row[0]!r} among the edges is not understood")
    return [rows[0][2:], *(row[1:] for row in rows[1:])]


def _is_edge_list(rows: list[list[str]]) -> bool:
    """Two whole numbers, then two of them and perhaps a third number, in every line."""
    whole = all(word.isdecimal() for row in rows for word in row[:2])
    return whole and len(rows[0]) == 2 and all(len(row) in (2, 3) for row in rows[1:])


def _title(stem: str) -> str:
    """The name of a graph; those of Gset as G01 to G81, so that they sort."""
    found = re.fullmatch(r"[gG](\d+)", stem)
    return f"G{int(found[1]):02}" if found else stem


def read_archive(file: File) -> list[Record]:
    """A NumPy archive of several graphs.

    Graph `g` has `n[g]` vertices and the edges `offsets[g]` to `offsets[g + 1]` of the arrays
    `u`, `v`, `w`; its best known cut is `best_known[g]`, if that is there.
    """
    import numpy as np

    arrays = file.arrays()
    if not {"n", "offsets", "u", "v", "w"} <= arrays.keys():
        return []
    known = arrays.get("best_known", [None] * len(arrays["n"]))
    edges = np.column_stack([arrays[key] for key in "uvw"])
    parts = np.split(edges, arrays["offsets"][1:-1])
    graphs = zip(map(int, arrays["n"]), parts, known, strict=True)
    return [_record(file, "", *graph) for graph in graphs]


def read_pickled(file: File) -> list[Record]:
    """A pickled list of graphs, as ECO-DQN's repository keeps them."""
    import numpy as np

    upper = (np.triu(matrix, 1) for matrix in read_graphs(file))
    return [
        _record(file, "", len(m), np.column_stack([*m.nonzero(), m[m.nonzero()]])) for m in upper
    ]


READERS: Mapping[str, Callable[[File], list[Record]]] = {
    "": read_edge_list,
    ".txt": read_edge_list,
    ".rud": read_edge_list,
    ".mc": read_edge_list,
    ".col": read_edge_list,
    ".npz": read_archive,
    ".pkl": read_pickled,
}
"""By suffix: how to read a file; none in it, or UserError for graphs that cannot be used."""


def _record(
    file: File,
    name: str,
    size: int,
    rows: Any,
    reference: float | None = None,
    *,
    is_weighted: bool = True,
) -> Record:
    """The graph with two vertices and a weight a row, 0 for no edge. Raises UserError.

    Weights of parallel edges are added up, which gives the same cuts; without weights an edge
    given twice may mean one.
    """
    import numpy as np

    try:
        edges = np.array(rows, dtype=np.float64).reshape(-1, 3)
    except ValueError as error:
        raise UserError(f"{file.name}: its weights are not numbers") from error
    if (edges % 1 != 0).any() or not (abs(edges) < 1 << 31).all():
        raise UserError(f"{file.name}: its weights are not whole numbers of 32 bits")
    edges = edges.astype(np.int64)
    ends = np.sort(edges[:, :2])
    if not 2 <= size <= MOST or not ((ends >= 0) & (ends < size)).all():
        raise UserError(f"{file.name}: not a graph of 2 to {MOST} vertices")
    if (ends[:, 0] == ends[:, 1]).any():
        raise UserError(f"{file.name}: an edge from a vertex to itself")
    pairs, place, counts = np.unique(ends, axis=0, return_inverse=True, return_counts=True)
    if (counts > 1).any() and not is_weighted:
        raise UserError(f"{file.name}: an edge is given twice, without weights")
    if len(counts) and (counts == 2).all() and len(np.unique(edges[:, :2], axis=0)) == len(edges):
        raise UserError(f"{file.name}: every edge is given in both directions; once is enough")
    weights = np.bincount(place.ravel(), edges[:, 2], len(pairs)).astype(np.int64)
    simple = np.column_stack([pairs, weights])[weights != 0]
    known = None if reference is None else float(reference)
    return as_record(replace(as_graph(name, size, simple), reference=known))
