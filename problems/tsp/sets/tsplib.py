"""TSPLIB's text: nodes in the plane or on the earth, or a table of distances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from problems.errors import UserError
from problems.sets.records import Record
from problems.shared.tsplib import take_apart
from problems.tsp.sets.metrics import EXPLICIT, RULES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from problems.sets.files import File
    from problems.shared.tsplib import Text

EUCLIDEAN = "EUC_2D"
KINDS = (EUCLIDEAN, *RULES, EXPLICIT)
"""Distances that are read."""

SHOWN = ("DISPLAY_DATA_SECTION", "NODE_COORD_SECTION")
"""Where nodes lie, for show where distances are given; the first one found counts."""

FORMATS = {
    "FULL_MATRIX": "full",
    "UPPER_ROW": "upper",
    "LOWER_COL": "upper",
    "LOWER_ROW": "lower",
    "UPPER_COL": "lower",
    "UPPER_DIAG_ROW": "upper with diagonal",
    "LOWER_DIAG_COL": "upper with diagonal",
    "LOWER_DIAG_ROW": "lower with diagonal",
    "UPPER_DIAG_COL": "lower with diagonal",
}
"""By TSPLIB's word: which part of the table stands in the file, row by row."""


def read(file: File) -> Record:
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
        tables = {"coords": coords, "metric": _word(kind), "weights": _weights(text)}
        return Record(tables, file.stem)
    coords = text.coordinates("NODE_COORD_SECTION")
    tables = {"coords": coords} if kind == EUCLIDEAN else {"coords": coords, "metric": _word(kind)}
    return Record(tables, file.stem)


def _word(kind: str) -> NDArray[np.str_]:
    import numpy as np

    return np.array([kind], dtype="<U8")


def _weights(text: Text) -> NDArray[np.float64]:
    """The distances of nodes i < j, row by row. Raises UserError."""
    import numpy as np

    kind = text.fields.get("EDGE_WEIGHT_FORMAT")
    if kind not in FORMATS:
        raise UserError(f"{text.name}: expected distances as {', '.join(FORMATS)}, found {kind}")
    values = _numbers(text)
    size = text.size
    diagonal = size if "diagonal" in FORMATS[kind] else 0
    expected = size * size if FORMATS[kind] == "full" else size * (size - 1) // 2 + diagonal
    if size < 1 or len(values) != expected:
        raise UserError(
            f"{text.name}: {len(values)} distances, but {kind} of {size} nodes has {expected}"
        )
    table = _fill(values, size, FORMATS[kind])
    if (table != table.T).any():
        raise UserError(f"{text.name}: its distances depend on the direction")
    return table[np.triu_indices(size, 1)]


def _numbers(text: Text) -> NDArray[np.float64]:
    """All distances in the file. Raises UserError."""
    import numpy as np

    words = " ".join(text.sections.get("EDGE_WEIGHT_SECTION", ())).split()
    try:
        values = np.fromiter(map(float, words), np.float64, len(words))
    except ValueError as error:
        raise UserError(f"{text.name}: its distances are not numbers") from error
    if not (np.isfinite(values) & (values >= 0)).all():
        raise UserError(f"{text.name}: its distances are not all numbers from 0 on")
    return values


def _fill(values: NDArray[np.float64], size: int, part: str) -> NDArray[np.float64]:
    """The whole table [size, size] of a part of it; 0 on the diagonal."""
    import numpy as np

    if part == "full":
        table = values.reshape(size, size).copy()
        np.fill_diagonal(table, 0)
        return table
    offset = 0 if "diagonal" in part else 1
    table = np.zeros((size, size))
    upper = part.startswith("upper")
    places = np.triu_indices(size, offset) if upper else np.tril_indices(size, -offset)
    table[places] = values
    np.fill_diagonal(table, 0)
    return table + table.T
