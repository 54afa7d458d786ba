"""Files that hold travelling salesman instances: TSPLIB, NumPy archives, published sets."""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from problems.errors import UserError
from problems.sets.files import File, archived_references, read_pickle
from problems.sets.library import Record
from problems.shared.routing import as_coordinates
from problems.shared.tsplib import Text, take_apart
from problems.tsp.instances import EXPLICIT, WHOLE_METRICS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEWEST = 3
"""Nodes of the smallest instance: the fewest that leave a choice."""


def read_tsplib(file: File) -> list[Record]:
    """The instance of a TSPLIB file, called like the file. Raises UserError."""
    record = _read_record(file)
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


EUCLIDEAN = "EUC_2D"
KINDS = (EUCLIDEAN, *WHOLE_METRICS, EXPLICIT)
"""Distances that are read."""

SHOWN = ("DISPLAY_DATA_SECTION", "NODE_COORD_SECTION")
"""Where nodes lie, for show where distances are given; the first one found counts."""

FORMATS: Mapping[str, tuple[bool, int] | None] = {
    "FULL_MATRIX": None,
    "UPPER_ROW": (True, 1),
    "LOWER_COL": (True, 1),
    "LOWER_ROW": (False, 1),
    "UPPER_COL": (False, 1),
    "UPPER_DIAG_ROW": (True, 0),
    "LOWER_DIAG_COL": (True, 0),
    "LOWER_DIAG_ROW": (False, 0),
    "UPPER_DIAG_COL": (False, 0),
}
"""By TSPLIB's word the part of the table in the file, row by row: whether it is the upper one, and
how far from the diagonal it begins; None for all of it."""


def _read_record(file: File) -> Record:
    """The instance of a file of symmetric distances, called like the file.

    Its tables are `coords[node, 2]`; unless distances are EUC_2D their kind, `metric[1]`; and of
    EXPLICIT ones `weights`, those of nodes i < j row by row, where `coords` are for show and may
    be none. Raises UserError.
    """
    import numpy as np

    text = take_apart(file)
    is_table = text.fields.get("EDGE_WEIGHT_TYPE") == EXPLICIT
    sections = (*SHOWN, *(["EDGE_WEIGHT_SECTION"] if is_table else []))
    kind = text.expect("TSP", KINDS, (), sections)
    if kind == EXPLICIT:
        shown = next((name for name in SHOWN if name in text.sections), "")
        coords = text.coordinates(shown) if shown else np.zeros((0, 2))
        weights = {"weights": _weights(text)}
    else:
        coords = text.coordinates("NODE_COORD_SECTION")
        weights = {}
    metric = {} if kind == EUCLIDEAN else {"metric": np.array([kind], dtype="<U8")}
    return Record({"coords": coords, **metric, **weights}, file.stem)


def _weights(text: Text) -> NDArray[np.float64]:
    """The distances of nodes i < j, row by row. Raises UserError."""
    import numpy as np

    kind = text.fields.get("EDGE_WEIGHT_FORMAT")
    if kind is None or kind not in FORMATS:
        raise UserError(f"{text.name}: expected distances as {', '.join(FORMATS)}, found {kind}")
    words = " ".join(text.sections.get("EDGE_WEIGHT_SECTION", ())).split()
    try:
        values = np.fromiter(map(float, words), np.float64, len(words))
    except ValueError as error:
        raise UserError(f"{text.name}: its distances are not numbers") from error
    if not (np.isfinite(values) & (values >= 0)).all():
        raise UserError(f"{text.name}: its distances are not all numbers from 0 on")
    size = text.size
    part = FORMATS[kind]
    expected = size * size if part is None else size * (size + 1) // 2 - size * part[1]
    if size < 1 or len(values) != expected:
        raise UserError(
            f"{text.name}: {len(values)} distances, but {kind} of {size} nodes has {expected}"
        )
    table = np.zeros((size, size))
    if part is None:
        table[:] = values.reshape(size, size)
    else:
        upper, offset = part
        table[np.triu_indices(size, offset) if upper else np.tril_indices(size, -offset)] = values
    np.fill_diagonal(table, 0)
    if part is not None:
        table += table.T
    elif (table != table.T).any():
        raise UserError(f"{text.name}: its distances depend on the direction")
    return table[np.triu_indices(size, 1)]
