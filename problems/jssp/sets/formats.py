"""Files that hold job shops: JSPLIB's texts, L2D's arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from problems.errors import UserError
from problems.jssp.sets.data import Instance, as_record, as_rows, read_jsplib

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from problems.sets.files import File
    from problems.sets.records import Record


def read_text(file: File) -> list[Record]:
    """The shop of a JSPLIB file, called like the file; none in a text of another kind.

    Raises UserError for a shop that does not fit what its first line announces.
    """
    lines = (line.split("#")[0].split() for line in file.text().splitlines())
    sizes = next((words for words in lines if words), [])
    if len(sizes) != 2 or not all(word.isdecimal() for word in sizes):
        return []
    return [as_record(read_jsplib(file.text(), file.stem))]


def read_array(file: File) -> list[Record]:
    """L2D's and Offline-LD's arrays `(shops, 2, jobs, machines)`: durations, then machines.

    Machines are numbered from 1 there, or from 0. Raises UserError for any other array.
    """
    array = file.array()
    if array.ndim != 4 or array.shape[1] != 2 or array.dtype.kind not in "iu" or not array.size:
        shape = " x ".join(map(str, array.shape))
        raise UserError(
            f"{file.name}: an array of {shape or 'one number'}; job shops are whole numbers, "
            "shops x 2 x jobs x machines"
        )
    return [_record(file, *shop) for shop in array]


READERS: Mapping[str, Callable[[File], list[Record]]] = {
    "": read_text,
    ".txt": read_text,
    ".jsp": read_text,
    ".jssp": read_text,
    ".npy": read_array,
}
"""By suffix: how to read a file; none in it, or UserError for instances that cannot be used."""


def _record(file: File, durations: NDArray[Any], machines: NDArray[Any]) -> Record:
    first = int(machines.min())
    numbers = list(range(first, first + machines.shape[1]))
    if first not in (0, 1) or any(sorted(row) != numbers for row in machines.tolist()):
        raise UserError(f"{file.name}: a job must visit each machine once")
    if durations.min() < 0:
        raise UserError(f"{file.name}: a duration is negative")
    return as_record(Instance("", as_rows(durations), as_rows(machines - first)))
