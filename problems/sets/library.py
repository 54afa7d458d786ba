"""The store of imported sets: instances read from files, kept in one compact format.

A set is `FOLDER/PROBLEM/NAME.npz`, the tables of all its instances end to end, and `NAME.json`
next to it, which describes it. `FOLDER` is the user's data folder, or `PRECEPTOR_DATA`.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import problems
from problems.base import InstanceSet, Problem
from problems.errors import UnknownName, UserError, WorldError

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Record:
    """One instance as it was read: its tables by name, at least one-dimensional, plain dtypes.

    `reference` is the best known objective in the natural sense. In a set of instances without
    names, the library calls them `SET/0`, `SET/1`, ...
    """

    tables: Mapping[str, NDArray[Any]]
    name: str = ""
    reference: float | None = None


def fingerprint(records: Sequence[Record]) -> str:
    """sha256 of the tables in order; names and references do not count."""
    digest = hashlib.sha256()
    for record in records:
        for name in sorted(record.tables):
            table = record.tables[name]
            digest.update(f"{name} {table.dtype.str} {table.shape}\n".encode())
            digest.update(table.tobytes())
    return digest.hexdigest()


def named(records: Sequence[Record], name: str) -> tuple[Record, ...]:
    """The instances of a set; those without a name are called `name/0`, `name/1`, ..."""
    return tuple(
        record if record.name else replace(record, name=f"{name}/{index}")
        for index, record in enumerate(records)
    )


SCHEMA = 1

ABSENT = -1
"""The length of a table that an instance does not have, unlike others of its set."""


@dataclass(frozen=True, slots=True)
class Published:
    """A set that others published: how it is recognised, and where it can be had.

    `content` is the `fingerprint` of its instances in order of name, whatever file they come
    from; `member` picks them from a folder that holds more; `address` is public, or empty, and a
    set of several files has their names in `files`, to be put behind the address.
    """

    described: InstanceSet
    content: str
    address: str = ""
    member: Callable[[Record], bool] = lambda record: True
    files: tuple[str, ...] = ("",)


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    """What is known of a stored set without opening it.

    `content` is its fingerprint, `sha256` that of the file with the tables.
    """

    name: str
    problem: str
    size: int
    source: str
    content: str
    sha256: str
    schema: int = SCHEMA

    @property
    def file(self) -> Path:
        """The file with the tables."""
        return folder() / self.problem / f"{self.name}.npz"


def folder() -> Path:
    """Where imported sets lie; it need not exist."""
    if chosen := os.environ.get("PRECEPTOR_DATA"):
        return Path(chosen)
    from platformdirs import user_data_path

    return user_data_path("preceptor") / "data"


def entries() -> tuple[LibraryEntry, ...]:
    """All stored sets, by problem and name."""
    return tuple(map(_read_entry, sorted(folder().glob("*/*.json"))))


def find(problem: str, name: str) -> LibraryEntry | None:
    """The stored set of that name, or None."""
    file = folder() / problem / f"{name}.json"
    return _read_entry(file) if is_set_name(name) and file.is_file() else None


def load(reader: Problem, name: str) -> tuple[Record, ...]:
    """The instances of an imported set, in order.

    Raises UserError with the command to type when it is a published set that is not imported yet,
    UnknownName when it is none, WorldError when its file is missing or altered.
    """
    entry = find(reader.name, name)
    if entry is not None:
        return _read(entry)
    known = {published.described.name: published for published in reader.published()}
    if name in known:
        fetch = f"type `preceptor data fetch {name}`, or " if known[name].address else ""
        raise UserError(
            f"the set {name} is not imported yet; {fetch}with its files at hand "
            "`preceptor data import DIR`"
        )
    own = (described.name for described in reader.sets())
    raise UnknownName(
        "set", name, (*own, *(e.name for e in entries() if e.problem == reader.name))
    )


def store(name: str, problem: str, records: Sequence[Record], source: str) -> LibraryEntry:
    """Keep instances as a set; `source` says in a few words where they come from.

    Raises UserError for a bad name, and for one that other instances have: what was computed on
    a set must stay true of its name.
    """
    if not is_set_name(name):
        raise UserError(
            f"{name!r} cannot name a set: letters, digits and - _ . only; choose a name with "
            "--as NAME"
        )
    content = fingerprint(records)
    stored = find(problem, name)
    if stored is not None and stored.content != content:
        raise UserError(
            f"{name} is a set of other instances already; choose a name with --as NAME, "
            f"or remove {stored.file} and what was computed on it"
        )
    packed = _pack(named(records, name))
    sha256 = hashlib.sha256(packed).hexdigest()
    entry = LibraryEntry(name, problem, len(records), source, content, sha256)
    _write(entry.file, packed)
    header = json.dumps(asdict(entry), indent=2).encode() + b"\n"
    _write(entry.file.with_suffix(".json"), header)
    return entry


def is_set_name(name: str) -> bool:
    """Whether a set may be called this."""
    return re.fullmatch(r"[A-Za-z0-9][\w.-]*", name, re.ASCII) is not None


def _pack(records: Sequence[Record]) -> bytes:
    """A NumPy archive: every table of all instances end to end, and its length in each.

    The length is `ABSENT` in instances without that table.
    """
    import numpy as np

    references = [np.nan if r.reference is None else r.reference for r in records]
    arrays: dict[str, Any] = {"names": [r.name for r in records], "references": references}
    for table in dict.fromkeys(name for record in records for name in record.tables):
        parts = [record.tables.get(table) for record in records]
        arrays[f"table.{table}"] = np.concatenate([part for part in parts if part is not None])
        arrays[f"length.{table}"] = [ABSENT if part is None else len(part) for part in parts]
    packed = io.BytesIO()
    np.savez_compressed(packed, **arrays)
    return packed.getvalue()


def _read(entry: LibraryEntry) -> tuple[Record, ...]:
    import numpy as np

    remedy = f"remove {entry.file.with_suffix('.json')} and import the set again"
    if not entry.file.is_file():
        raise WorldError(f"{entry.file} is missing; {remedy}")
    packed = entry.file.read_bytes()
    if hashlib.sha256(packed).hexdigest() != entry.sha256:
        raise WorldError(f"{entry.file} is not the file that was imported; {remedy}")
    arrays = dict(np.load(io.BytesIO(packed), allow_pickle=False))
    names = arrays["names"].tolist()
    tables: list[dict[str, NDArray[Any]]] = [{} for _ in names]
    for table in (key.removeprefix("table.") for key in arrays if key.startswith("table.")):
        lengths = arrays[f"length.{table}"]
        parts = np.split(arrays[f"table.{table}"], np.cumsum(lengths.clip(0))[:-1])
        for of_one, part, length in zip(tables, parts, lengths, strict=True):
            if length != ABSENT:
                of_one[table] = part
    references = arrays["references"].tolist()  # NaN where none is known
    known = [None if math.isnan(reference) else reference for reference in references]
    return tuple(Record(*parts) for parts in zip(tables, names, known, strict=True))


def _read_entry(file: Path) -> LibraryEntry:
    try:
        entry = LibraryEntry(**json.loads(file.read_text("utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise WorldError(
            f"{file} does not describe an imported set: {error}; remove it"
        ) from error
    if entry.schema > SCHEMA:
        raise WorldError(f"{file} was written by a newer version; upgrade preceptor")
    return entry


def _write(file: Path, content: bytes) -> None:
    """Write a file that appears whole or not at all. Raises WorldError."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as handle:
            handle.write(content)
        Path(handle.name).replace(file)
    except OSError as error:
        raise WorldError(f"{file} cannot be written: {error.strerror}") from error


@dataclass(frozen=True, slots=True)
class Holding:
    """A set: `described` by its problem, stored as `entry`, to be had at `address`.

    `described` is None for a set of the user's own, `entry` for one that is not imported; a set
    that the problem generates has no entry and needs none.
    """

    name: str
    problem: str
    described: InstanceSet | None = None
    entry: LibraryEntry | None = None
    published: bool = False
    address: str = ""

    @property
    def size(self) -> int:
        """Number of instances."""
        return self.entry.size if self.entry else self.described.size if self.described else 0

    @property
    def state(self) -> Literal["generated", "imported", "missing"]:
        """`missing` is a published set that is not imported yet."""
        if self.entry is not None:
            return "imported"
        return "missing" if self.published else "generated"


def holdings() -> tuple[Holding, ...]:
    """All sets, by problem: those that the problem lists in its order, then the user's own."""
    stored = entries()
    found: list[Holding] = []
    for name in problems.names():
        problem = problems.load(name)
        kept = {entry.name: entry for entry in stored if entry.problem == name}
        addresses = {one.described.name: one.address for one in problem.published()}
        for described in problem.sets():
            title = described.name
            entry = kept.pop(title, None)
            address = addresses.get(title, "")
            found.append(Holding(title, name, described, entry, title in addresses, address))
        found += [Holding(own, name, entry=entry) for own, entry in kept.items()]
    return tuple(found)
