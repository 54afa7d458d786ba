"""Files that hold graphs: Gset's edge lists, NumPy archives of ours, ECO-DQN's pickles."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from problems.errors import UserError
from problems.maxcut.sets.data import as_graph, as_record
from problems.maxcut.sets.pickled import read_graphs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from problems.sets.files import File
    from problems.sets.records import Record

MOST = 1 << 15
"""Vertices of the largest graph: its matrix has 8 GiB."""


def read_edge_list(file: File) -> list[Record]:
    """Gset's text, also called rudy: `vertices edges`, then a line an edge, `u v` or `u v weight`.

    Vertices count from 1 there. Raises UserError.
    """
    rows = [line.split() for line in file.text().splitlines() if line.strip()]
    if not rows or not _is_edge_list(rows):
        return []
    size = int(rows[0][0])
    edges = int(rows[0][1])
    if len(rows) - 1 != edges:
        raise UserError(f"{file.name}: {edges} edges announced, {len(rows) - 1} found")
    found = [[int(row[0]) - 1, int(row[1]) - 1, *(row[2:] or ["1"])] for row in rows[1:]]
    return [_record(file, _title(file.stem), size, found)]


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
    ".npz": read_archive,
    ".pkl": read_pickled,
}
"""By suffix: how to read a file; none in it, or UserError for graphs that cannot be used."""


def _record(file: File, name: str, size: int, rows: Any, reference: float | None = None) -> Record:
    """The graph with two vertices and a weight a row, 0 for no edge. Raises UserError."""
    import numpy as np

    try:
        edges = np.array(rows, dtype=np.float64).reshape(-1, 3)
    except ValueError as error:
        raise UserError(f"{file.name}: its weights are not numbers") from error
    if not (abs(edges) < 1 << 31).all() or (edges % 1).any():
        raise UserError(f"{file.name}: its weights are not whole numbers of 32 bits")
    edges = edges[edges[:, 2] != 0].astype(np.int64)
    ends = np.sort(edges[:, :2])
    if not 2 <= size <= MOST or not ((ends >= 0) & (ends < size)).all():
        raise UserError(f"{file.name}: not a graph of 2 to {MOST} vertices")
    if (ends[:, 0] == ends[:, 1]).any() or len(np.unique(ends, axis=0)) < len(ends):
        raise UserError(f"{file.name}: an edge from a vertex to itself, or one given twice")
    known = None if reference is None else float(reference)
    return as_record(replace(as_graph(name, size, edges), reference=known))
