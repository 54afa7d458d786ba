"""Files that hold job shops: JSPLIB's, OR-Library's and Taillard's texts, L2D's arrays."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from problems.errors import UserError
from problems.jssp.instances import Instance, Row, as_record, as_rows
from problems.sets.files import File
from problems.sets.library import Record

if TYPE_CHECKING:
    from numpy.typing import NDArray

LONGEST = 2**31 - 1
"""The longest duration in a file: sums of them stay exact."""

OR_LIBRARY = re.compile(r"(?m)^[ \t]*instance[ \t]+(\S+)[ \t]*$")
"""What stands above each instance in OR-Library's file of many."""

TAILLARD = re.compile(
    r"nb of jobs,.*\n([\s\d-]+\n)[^\S\n]*times[^\S\n]*\n([\s\d]+\n)[^\S\n]*machines[^\S\n]*\n"
    r"([\s\d]+)",
    re.IGNORECASE,
)
"""An instance in Taillard's own files: sizes, seeds and bounds, then two tables.

White space belongs to one part of the pattern alone, so that no file takes more than a look.
"""


def read_jsplib(text: str, name: str) -> Instance:
    """An instance in the standard text format of JSPLIB.

    After a `#` comes a comment; then `jobs machines`, then one line a job of `machine duration`
    pairs. Two tables, a line a job of durations and then a line a job of machines, are read as
    well. Machines are numbered from 0 or from 1. Raises UserError naming the line that does not
    fit.
    """
    bare = (line.partition("#")[0].split() for line in text.splitlines())
    lines = [(f"{name}, line {number}", words) for number, words in enumerate(bare, 1) if words]
    if not lines:
        raise UserError(f"{name}: no line says how many jobs and machines there are")
    where, sizes = lines[0]
    jobs, machines = _whole(sizes, 2, where)
    if jobs < 1 or machines < 1:
        raise UserError(f"{where}: a shop needs at least one job and one machine")
    rows = lines[1:]
    if len(rows) == 2 * jobs and all(len(words) == machines for _, words in rows):
        numbers = [_whole(words, machines, at) for at, words in rows]
        return as_shop(name, numbers[:jobs], numbers[jobs:], [at for at, _ in rows[jobs:]])
    if len(rows) != jobs:
        raise UserError(f"{lines[-1][0]}: {jobs} jobs announced, {len(rows)} found")
    numbers = [_whole(words, 2 * machines, at) for at, words in rows]
    durations = [row[1::2] for row in numbers]
    return as_shop(name, durations, [row[0::2] for row in numbers], [at for at, _ in rows])


def as_shop(
    name: str, durations: Sequence[Row], machines: Sequence[Row], places: Sequence[str]
) -> Instance:
    """A shop read from a file, its machines numbered from 0 or from 1.

    `places` say where each job stands. Raises UserError for a job that does not visit each machine
    once, and for a duration out of range.
    """
    first = min(min(row) for row in machines)
    count = len(machines[0])
    if first not in (0, 1):
        first = 0
    for place, times, order in zip(places, durations, machines, strict=True):
        if sorted(order) != list(range(first, first + count)):
            last = first + count - 1
            raise UserError(f"{place}: a job must visit each machine from {first} to {last} once")
        if min(times) < 0:
            raise UserError(f"{place}: a duration is negative")
        if max(times) > LONGEST:
            raise UserError(f"{place}: a duration is longer than {LONGEST}")
    numbered = tuple(tuple(machine - first for machine in row) for row in machines)
    return Instance(name, tuple(map(tuple, durations)), numbered)


def _whole(words: list[str], count: int, where: str) -> Row:
    if len(words) != count:
        raise UserError(f"{where}: expected {count} numbers, found {len(words)}")
    try:
        return tuple(int(word) for word in words)
    except ValueError as error:
        raise UserError(f"{where}: expected whole numbers only") from error


def read_text(file: File) -> list[Record]:
    """The shops of a text: one of JSPLIB's, called like the file, or those of a file of many.

    None in a text of another kind. Raises UserError for a shop that does not fit what its first
    line announces.
    """
    text = file.text()
    if TAILLARD.search(text):
        return _read_taillard(file, text)
    _, *named = OR_LIBRARY.split(text)
    if named:
        blocks = zip(named[::2], named[1::2], strict=True)
        return [as_record(_read_block(file, name, block)) for name, block in blocks]
    lines = (line.partition("#")[0].split() for line in text.splitlines())
    sizes = next((words for words in lines if words), [])
    if not _are_sizes(sizes):
        return []
    return [as_record(read_jsplib(text, file.stem))]


def _are_sizes(words: list[str]) -> bool:
    return len(words) == 2 and all(word.isdecimal() for word in words)


def _read_block(file: File, name: str, text: str) -> Instance:
    """An instance of OR-Library: rulers and a description, `jobs machines`, a line a job."""
    lines = [line for line in text.splitlines() if line.strip().strip("+")]
    first = next((n for n, line in enumerate(lines) if _are_sizes(line.split())), len(lines))
    is_numbers = [line.replace("-", "").replace(" ", "").isdecimal() for line in lines[first:]]
    last = first + [*is_numbers, False].index(False)
    shop = read_jsplib("\n".join(lines[first:last]), f"{file.stem}, instance {name}")
    return replace(shop, name=name)


def _read_taillard(file: File, text: str) -> list[Record]:
    """The instances of a file of Taillard's, named if it is one; upper bounds are references."""
    found = TAILLARD.findall(text)
    if len(found) != len(re.findall(r"(?i)nb of jobs", text)):
        raise UserError(f"{file.name}: one of its instances is not complete")
    name = file.stem if len(found) == 1 else ""
    return [_taillard(file, name, *map(str.split, parts)) for parts in found]


def _taillard(
    file: File, name: str, head: list[str], times: list[str], order: list[str]
) -> Record:
    jobs, machines, *rest = map(int, head)
    if len(rest) != 4 or jobs < 1 or not jobs * machines == len(times) == len(order):
        raise UserError(
            f"{file.name}: its tables are not those of {jobs} jobs, {machines} machines"
        )
    durations, orders = (
        [tuple(map(int, words[at : at + machines])) for at in range(0, len(words), machines)]
        for words in (times, order)
    )
    shop = as_shop(name, durations, orders, [f"{file.name}, job {n + 1}" for n in range(jobs)])
    return as_record(replace(shop, upper=rest[2] or None))


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
    ".jss": read_text,
    ".dmu": read_text,
    ".npy": read_array,
}
"""By suffix: how to read a file; none in it, or UserError for instances that cannot be used."""


def _record(file: File, durations: NDArray[Any], machines: NDArray[Any]) -> Record:
    places = [f"{file.name}: job {number}" for number in range(1, len(machines) + 1)]
    return as_record(as_shop("", as_rows(durations), as_rows(machines), places))
