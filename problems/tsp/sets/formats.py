"""Files that hold travelling salesman instances: TSPLIB, NumPy archives, published sets."""

from __future__ import annotations

import re
from ast import literal_eval
from typing import TYPE_CHECKING, Any

from problems.errors import UserError
from problems.sets.files import archived_references
from problems.sets.pickles import read_pickle
from problems.sets.records import Record
from problems.shared.routing import as_coordinates
from problems.tsp.sets import tsplib

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from problems.sets.files import File

FEWEST = 3
"""Nodes of the smallest instance: the fewest that leave a choice."""


def read_tsplib(file: File) -> list[Record]:
    """The instance of a TSPLIB file, called like the file. Raises UserError."""
    record = tsplib.read(file)
    size = len(record.tables["coords"])
    weights = record.tables.get("weights")
    if (size if weights is None else len(weights)) < FEWEST:
        raise UserError(f"{file.name}: fewer than {FEWEST} nodes")
    return [record]


def read_archive(file: File) -> list[Record]:
    """A NumPy archive: `coords[instance, node, 2]`, tour lengths in an array `ref_...`, if any."""
    arrays = file.arrays()
    if "coords" not in arrays or "demands" in arrays:
        return []
    coords = arrays["coords"]
    known = archived_references(arrays, len(coords))
    return [_record(file, points, "", ref) for points, ref in zip(coords, known, strict=True)]


def read_lines(file: File) -> list[Record]:
    """LEHD's texts: an instance a line, coordinates and the best tour, or TSPLIB's as a list."""
    lines = file.text().splitlines()
    if lines and re.match(r"\['\w+', '\d", lines[0]):
        return [_from_list(file, literal_eval(line)) for line in lines]
    if lines and re.match(r"[\d.e\s-]+ output [\d\s]+$", lines[0]):
        return [_from_tour(file, *line.split(" output ")) for line in lines]
    return []


def read_pairs(file: File) -> list[Record]:
    """EoH's pickles: a list of pairs, coordinates and distances."""
    found = read_pickle(file)
    is_pairs = isinstance(found, list) and all(
        isinstance(pair, tuple | list) and len(pair) == 2 for pair in found
    )
    return [_record(file, coords) for coords, _ in found] if is_pairs else []


def read_array(file: File) -> list[Record]:
    """An array `(instances, nodes, 2)` of coordinates. Raises UserError for any other."""
    array = file.array()
    if array.ndim != 3 or array.shape[2] != 2 or array.dtype.kind not in "iuf":
        shape = " x ".join(map(str, array.shape))
        raise UserError(
            f"{file.name}: an array of {shape or 'one number'}; tours are instances x nodes x 2"
        )
    return [_record(file, points) for points in array]


READERS: Mapping[str, Callable[[File], list[Record]]] = {
    ".tsp": read_tsplib,
    ".npz": read_archive,
    ".npy": read_array,
    ".txt": read_lines,
    ".pkl": read_pairs,
}
"""By suffix: how to read a file; none in it, or UserError for instances that cannot be used."""


def _from_list(file: File, words: list[str]) -> Record:
    name, best, *numbers = words
    return _record(file, list(zip(numbers[::2], numbers[1::2], strict=True)), name, float(best))


def _from_tour(file: File, numbers: str, nodes: str) -> Record:
    import numpy as np

    coords = np.array(numbers.split(), dtype=np.float64).reshape(-1, 2)
    steps = np.diff(coords[np.array(nodes.split(), dtype=np.int64) - 1], axis=0)
    return _record(file, coords, "", float(np.sqrt((steps**2).sum(axis=1)).sum()))


def _record(file: File, points: Any, name: str = "", reference: float | None = None) -> Record:
    coords = as_coordinates(points, file.name)
    if len(coords) < FEWEST:
        raise UserError(f"{file.name}: fewer than {FEWEST} nodes")
    return Record({"coords": coords}, name, reference)
