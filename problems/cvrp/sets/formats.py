"""Files that hold vehicle routing instances: CVRPLIB, NumPy archives, LEHD's texts."""

from __future__ import annotations

import re
from ast import literal_eval
from typing import TYPE_CHECKING, Any

from problems.errors import UserError
from problems.sets.files import archived_references
from problems.sets.records import Record
from problems.shared.routing import as_coordinates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from problems.sets.files import File

FEWEST = 2
"""Customers of the smallest instance: the fewest that leave a choice."""

LARGEST = 2**53
"""The largest capacity: up to here floats count."""

WORDS = ("name", "depot", "customer", "capacity", "demand", "cost", "node_flag", "end")
"""What announces the numbers after it in LEHD's texts."""


def read_vrplib(file: File) -> list[Record]:
    """The instance of a CVRPLIB file whose distances are EUC_2D. Raises UserError."""
    head, *parts = re.split(r"(?m)^[ \t]*(\w+_SECTION)\b", file.text())
    fields = {key.strip(): value.strip() for key, value in re.findall(r"(?m)^(.*?):(.*)$", head)}
    kind = fields.get("TYPE")
    weights = fields.get("EDGE_WEIGHT_TYPE")
    if kind != "CVRP" or weights != "EUC_2D":
        raise UserError(
            f"{file.name}: expected a CVRP with EUC_2D distances, found {kind} with {weights}"
        )
    bodies = {name: body.split() for name, body in zip(parts[::2], parts[1::2], strict=True)}
    if bodies.get("DEPOT_SECTION", ["1"])[:2] not in (["1"], ["1", "-1"]):
        raise UserError(f"{file.name}: node 1 must be the only depot")
    points = _rows(file, bodies.get("NODE_COORD_SECTION", []), 3)
    demands = _rows(file, bodies.get("DEMAND_SECTION", []), 2)
    if fields.get("DIMENSION") != str(len(points)):
        raise UserError(f"{file.name}: its DIMENSION does not match its number of nodes")
    wants = [words for (words,) in demands]
    return [_record(file, points, wants, fields.get("CAPACITY", ""), file.stem)]


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


def _rows(file: File, words: list[str], width: int) -> list[list[str]]:
    """Lines of node number and values, without the numbers: these count from 1."""
    rows = [words[first : first + width] for first in range(0, len(words), width)]
    numbers = [str(number) for number in range(1, len(rows) + 1)]
    if len(words) % width or [row[0] for row in rows] != numbers:
        raise UserError(f"{file.name}: its nodes are not numbered 1, 2, ...")
    return [row[1:] for row in rows]


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
