"""From files to imported sets: read them, recognise the published sets, keep the rest by name."""

from __future__ import annotations

import http.client
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TypeVar

import problems
from problems.base import Instance, Problem, has_own
from problems.errors import UnknownName, UserError, WorldError
from problems.sets.files import LARGEST, read_path, read_references, title_of
from problems.sets.library import LibraryEntry, Published, Record, fingerprint, load, named, store
from problems.sets.references import attach

One = TypeVar("One", bound="Instance")

PATIENCE = 60.0
"""Seconds that a server may be silent."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of an import: the sets stored, and a line for everything left out."""

    sets: tuple[LibraryEntry, ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Instances that belong together: all of one file, or all files with one instance each."""

    name: str
    problem: Problem
    records: tuple[Record, ...]


def importers() -> tuple[Problem, ...]:
    """The problems here that read instances from files."""
    loaded = (problems.load(name) for name in problems.names())
    return tuple(problem for problem in loaded if has_own(problem, "read"))


def import_path(path: Path, name: str | None, readers: Sequence[Problem]) -> Imported:
    """Store the instances of a folder, archive or file as sets.

    Published sets are recognised by their content and get their own name; other instances become
    a set called `name`, or like their file or folder. With a name there may be only one set in
    `path`, and all of it is stored. Raises UserError when there is nothing to store.
    """
    groups, left_out = read_groups(path, readers)
    if not groups:
        none = f"{path}: no instances of {', '.join(reader.name for reader in readers)}"
        raise UserError("; ".join([none, *left_out[:3]]))
    if name is not None and len(groups) > 1:
        several = ", ".join(group.name for group in groups)
        raise UserError(f"{path} contains several sets ({several}); import them one by one")
    entries: dict[tuple[str, str], LibraryEntry] = {}
    for group in groups:
        owner = group.problem.name
        for title, records in _sets(group, name, left_out).items():
            if (owner, title) not in entries:  # the same set may be there in several formats
                entries[owner, title] = store(title, owner, records, path.name)
    return Imported(tuple(entries.values()), tuple(left_out))


def load_set(
    reader: Problem,
    name: str,
    generated: tuple[One, ...],
    from_record: Callable[[Record], One],
    folder: Path,
    better: Callable[[float, float], float] = min,
) -> tuple[One, ...]:
    """The instances of a set, or of a file or folder by path, with the references in `folder`.

    They are those `generated` under the name, if any, else those that `open_set` finds; `better`
    chooses between two best known objectives. Raises as `open_set` does.
    """
    instances = generated or tuple(map(from_record, open_set(reader, name)))
    return attach(folder / "references", name, instances, better)


def open_set(reader: Problem, name: str) -> tuple[Record, ...]:
    """The instances of an imported set, or of a file or folder by path.

    Raises as `library.load`, and UserError for a path without instances.
    """
    is_set = name in {described.name for described in reader.sets()}
    if is_set or not ("/" in name or "\\" in name or (name and Path(name).exists())):
        return load(reader, name)
    groups, left_out = read_groups(Path(name), [reader])
    if not groups:
        raise UserError("; ".join([f"{name}: no instances of {reader.name}", *left_out[:3]]))
    return tuple(record for group in groups for record in named(group.records, group.name))


def fetch(name: str, readers: Sequence[Problem], address: str = "") -> LibraryEntry:
    """Download a published set and store it; `address` stands in for its own.

    Raises UnknownName, UserError for a set without an address, WorldError when the download
    fails or brings other instances than the published ones (by sha256).
    """
    known = {p.described.name: (p, r) for r in readers for p in r.published()}
    if name not in known:
        raise UnknownName("set", name, known)
    published, reader = known[name]
    if not (address := address or published.address):
        raise UserError(f"{name} has no public address; import its files: preceptor data import")
    with tempfile.TemporaryDirectory() as folder:
        for whole in (address + file for file in published.files):
            name_there = PurePosixPath(whole.partition("?")[0]).name
            (Path(folder) / name_there).write_bytes(_download(whole))
        groups, _ = read_groups(Path(folder), [reader])
        for group in groups:
            if records := _recognised(group, published):
                return store(name, reader.name, records, address)
    raise WorldError(f"{address} does not hold the instances of {name} (sha256 differs)")


def read_groups(path: Path, readers: Iterable[Problem]) -> tuple[list[Group], list[str]]:
    """All instances at a path with their references, and a line for every file left out."""
    files = read_path(path)
    known = read_references(files)
    useful = set(known.files)
    complaints: list[tuple[str, str]] = []
    found: list[Group] = []
    for reader in readers:
        single: list[Record] = []
        for file in files:
            try:
                records = () if file.trouble else reader.read(file)
            except UserError as error:
                complaints.append((file.name, str(error)))
                continue
            if records:
                useful.add(file.name)
            if len(records) == 1:
                single += records
            elif records:
                found.append(Group(file.stem, reader, tuple(records)))
        if single:
            found.append(Group(title_of(path), reader, tuple(single)))
    complaints = [(name, line) for name, line in complaints if name not in useful]
    complaints += [(file.name, file.trouble) for file in files if file.trouble]
    complaints += known.complaints
    explained = useful.union(name for name, _ in complaints)
    left_out = [line for _, line in complaints]
    left_out += [
        f"{file.name}: neither instances nor best known values in a format that is read"
        for file in files
        if file.name not in explained
    ]
    return [_completed(group, known.values) for group in found], list(dict.fromkeys(left_out))


def _completed(group: Group, references: Mapping[str, float]) -> Group:
    """In order of name, with the references that stand in other files."""
    records = (
        record
        if record.reference is not None
        else replace(record, reference=references.get(record.name))
        for record in group.records
    )
    return replace(group, records=tuple(sorted(records, key=lambda record: record.name)))


def _sets(group: Group, name: str | None, left_out: list[str]) -> dict[str, tuple[Record, ...]]:
    """The sets to make of a group, by name."""
    published = group.problem.published()
    found = {p.described.name: r for p in published if (r := _recognised(group, p))}
    if name is None and found:
        kept = {record.name for records in found.values() for record in records}
        if rest := [record.name for record in group.records if record.name not in kept]:
            left_out.insert(
                0,
                f"{', '.join(rest[:3])}{', ...' if rest[3:] else ''}: in no published set; "
                f"--as NAME imports all {len(group.records)} instances",
            )
        return found
    title = name or group.name
    if title in found:
        return {title: found[title]}
    if title in {described.name for described in group.problem.sets()}:
        raise UserError(f"these are not the instances of {title}; choose a name with --as NAME")
    return {title: group.records}


def _recognised(group: Group, published: Published) -> tuple[Record, ...]:
    """The instances of a published set in a group; none when they are not all there."""
    records = tuple(filter(published.member, group.records))
    if len(records) != published.described.size or fingerprint(records) != published.content:
        return ()
    return records


def _download(address: str) -> bytes:
    if not address.startswith(("https://", "http://")):
        raise UserError(f"{address!r} is not an http address")
    remedy = "check the connection, or import the files: preceptor data import"
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
            content: bytes = answer.read(LARGEST + 1)
    except (urllib.error.URLError, OSError, http.client.HTTPException, ValueError) as error:
        raise WorldError(f"{address} cannot be fetched: {error}; {remedy}") from error
    if len(content) > LARGEST:
        raise WorldError(f"{address} is larger than {LARGEST >> 20} MiB; {remedy}")
    return content
