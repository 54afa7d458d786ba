"""Files that hold vehicle routing instances: CVRPLIB, NumPy archives, LEHD's texts."""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from problems.errors import UserError
from problems.sets.files import File, archived_references
from problems.sets.library import Record
from problems.shared.routing import as_coordinates
from problems.shared.tsplib import Text, take_apart

FEWEST = 2
"""Customers of the smallest instance: the fewest that leave a choice."""

LARGEST = 2**53
"""The largest capacity: up to here floats count."""

SECTIONS = ("NODE_COORD_SECTION", "DEMAND_SECTION", "DEPOT_SECTION")
"""What stands in CVRPLIB's files."""

WORDS = ("name", "depot", "customer", "capacity", "demand", "cost", "node_flag", "end")
"""What announces the numbers after it in LEHD's texts."""


def read_vrplib(file: File) -> list[Record]:
    """The instance of a CVRPLIB file whose distances are EUC_2D, its depot first.

    Raises UserError, also for every field and section that could be a constraint.
    """
    text = take_apart(file)
    text.expect("CVRP", ("EUC_2D",), ("CAPACITY",), SECTIONS)
    points = text.rows("NODE_COORD_SECTION", 2)
    demands = text.rows("DEMAND_SECTION", 1)
    if points.keys() != demands.keys():
        raise UserError(f"{file.name}: nodes of DEMAND_SECTION are not those with coordinates")
    depot = _depot(text, next(iter(points)))
    if depot not in points:
        raise UserError(f"{file.name}: there is no node {depot}, which is to be the depot")
    nodes = [depot, *(node for node in points if node != depot)]
    wants = [demands[node][0] for node in nodes]
    capacity = text.fields.get("CAPACITY", "")
    return [_record(file, [points[node] for node in nodes], wants, capacity, file.stem)]


def _depot(text: Text, first: str) -> str:
    """The number of the depot, that of the `first` node unless another is named."""
    words = " ".join(text.sections.get("DEPOT_SECTION", (first,))).split()
    depots = words[:-1] if words[-1:] == ["-1"] else words
    if len(depots) != 1:
        raise UserError(f"{text.name}: expected one depot, found {', '.join(depots) or 'none'}")
    return depots[0].lstrip("0") or "0"


def read_archive(file: File) -> list[Record]:
    """A NumPy archive: `coords[instance, node, 2]`, `demands[instance, node]`, `capacity`.

    Best known lengths in an array `ref_...`, if any.
    """
    arrays = file.arrays()
    if not {"coords", "demands", "capacity"} <= arrays.keys():
        return []
    known = archived_references(arrays, len(arrays["coords"]))
    rows = zip(arrays["coords"], arrays["demands"], arrays["capacity"], known, strict=True)
    return [_record(file, at, wants, most, "", ref) for at, wants, most, ref in rows]


def read_lines(file: File) -> list[Record]:
    """LEHD's texts: an instance a line, words that announce numbers, as a list or with commas."""
    text = file.text()
    split = next((split for start, split in SPLITS.items() if re.match(start, text)), None)
    if split is None:
        return []
    return [_from_words(file, split(line)) for line in text.splitlines()]


SPLITS: Mapping[str, Callable[[str], list[Any]]] = {
    r"\['name', ": literal_eval,
    r"depot,[\d.e-]+,[\d.e-]+,customer,": lambda line: line.split(","),
}
"""How LEHD's texts begin, and how a line of them falls into words."""

READERS: Mapping[str, Callable[[File], list[Record]]] = {
    ".vrp": read_vrplib,
    ".npz": read_archive,
    ".txt": read_lines,
}
"""By suffix: how to read a file; none in it, or UserError for instances that cannot be used."""


def _from_words(file: File, words: Iterable[Any]) -> Record:
    """Coordinates and demands of customers follow the depot's; its own demand may be missing."""
    found: dict[str, list[Any]] = {word: [] for word in WORDS}
    section = found["name"]
    for word in words:
        if word in WORDS:
            section = found[word]
        else:
            section.append(word)
    numbers = [*found["depot"], *found["customer"]]
    points = list(zip(numbers[::2], numbers[1::2], strict=True))
    missing = [0] * (len(points) - len(found["demand"]))
    demands = [*missing, *found["demand"]]
    (capacity,) = found["capacity"]
    (cost,) = found["cost"]
    return _record(file, points, demands, capacity, "".join(found["name"]), float(cost))


def _record(
    file: File,
    points: Any,
    demands: Any,
    capacity: Any,
    name: str = "",
    reference: float | None = None,
) -> Record:
    """An instance whose numbers make sense. Raises UserError."""
    import numpy as np

    coords = as_coordinates(points, file.name)
    try:
        amounts = np.array([*demands, capacity], dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise UserError(f"{file.name}: its demands or its capacity are not numbers") from error
    if len(amounts) != len(coords) + 1 or len(coords) <= FEWEST:
        raise UserError(
            f"{file.name}: needs a demand for every node and at least {FEWEST} customers"
        )
    is_whole = (amounts == np.floor(amounts)).all() and amounts.max() <= amounts[-1] <= LARGEST
    if not is_whole or amounts.min() < 0 or amounts[0]:
        raise UserError(
            f"{file.name}: demands must be whole numbers from 0 to the capacity, "
            "and 0 for the depot"
        )
    whole = amounts.astype(np.int64)
    tables = {"coords": coords, "demands": whole[:-1], "capacity": whole[-1:]}
    return Record(tables, name, reference)
