"""Files of others, as they come: a folder, a zip archive, a single file, read into memory."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import re
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, TypeVar

from problems.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

T = TypeVar("T")

LARGEST = 1 << 28
"""Bytes of the largest file that is read."""

COLUMNS = ("optimal", "paper_reference_cost", "best_known", "reference")
"""Columns of a table that hold the best known objective, the first one found counts."""


@dataclass(frozen=True, slots=True)
class File:
    """A file: its name, with the folders inside an archive, and its content."""

    name: str
    content: bytes

    @property
    def stem(self) -> str:
        """The name without folders and suffix."""
        return PurePosixPath(self.name).stem

    @property
    def suffix(self) -> str:
        """The suffix in lower case, its dot included."""
        return PurePosixPath(self.name).suffix.lower()

    def text(self) -> str:
        """The content as text. Raises UserError when it is none."""
        try:
            return self.content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UserError(f"{self.name}: not a text file") from error

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """The arrays of a NumPy archive. Raises UserError; nothing in it is ever executed."""
        import numpy as np

        try:
            return dict(np.load(io.BytesIO(self.content), allow_pickle=False))
        except (
            ValueError,
            RuntimeError,
            OSError,
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
        ) as error:
            raise UserError(f"{self.name}: not a NumPy archive of plain arrays") from error

    def array(self) -> NDArray[Any]:
        """The one array of a `.npy` file. Raises UserError; nothing in it is ever executed."""
        import numpy as np

        try:
            return np.asarray(np.load(io.BytesIO(self.content), allow_pickle=False))
        except (ValueError, OSError, EOFError) as error:
            raise UserError(f"{self.name}: not a NumPy file of a plain array") from error


def read_path(path: Path) -> tuple[File, ...]:
    """The file at `path`; of a folder or a zip archive, all files in it, by name.

    Archives inside a folder are opened, `.gz` files unpacked. Raises UserError.
    """
    if not path.exists():
        raise UserError(f"{path}: no such file or folder")
    found = sorted(f for f in path.rglob("*") if f.is_file()) if path.is_dir() else [path]
    return tuple(file for one in found for file in _open(one, path))


def _open(path: Path, root: Path) -> Iterator[File]:
    name = path.name if path == root else path.relative_to(root).as_posix()
    try:
        if path.stat().st_size > LARGEST:
            raise UserError(f"{path} is larger than {LARGEST >> 20} MiB")
        if path.suffix.lower() != ".npz" and zipfile.is_zipfile(path):
            yield from _members(path)
        elif path.suffix.lower() == ".gz":
            with gzip.open(path) as packed:
                yield File(name[:-3], _at_most(packed.read(LARGEST + 1), path))
        else:
            yield File(name, path.read_bytes())
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise UserError(f"{path} cannot be read: {error}") from error


def _members(path: Path) -> Iterator[File]:
    with zipfile.ZipFile(path) as archive:
        for member in sorted(archive.infolist(), key=lambda member: member.filename):
            if member.flag_bits & 1:
                raise UserError(f"{path} is encrypted")
            if not member.is_dir():
                with archive.open(member) as packed:
                    yield File(member.filename, _at_most(packed.read(LARGEST + 1), path))


def _at_most(content: bytes, path: Path) -> bytes:
    if len(content) > LARGEST:
        raise UserError(f"{path} contains a file larger than {LARGEST >> 20} MiB")
    return content


def read_by_suffix(
    readers: Mapping[str, Callable[[File], Sequence[T]]], file: File
) -> Sequence[T]:
    """What the reader for a file's suffix finds in it; nothing in a file of another kind.

    Raises UserError, as readers do, and for whatever else makes one stumble.
    """
    reader = readers.get(file.suffix)
    try:
        return () if reader is None else reader(file)
    except (ValueError, TypeError, IndexError, SyntaxError) as error:
        raise UserError(f"{file.name}: its contents are inconsistent ({error})") from error


def read_references(files: Iterable[File]) -> dict[str, float]:
    """Best known objectives by instance name, from the files of a benchmark that hold them.

    `solutions` (lines of `name : value`), tables with a column `name` and one of `COLUMNS`,
    CVRPLIB's `.sol` files (a line `Cost value`), and the lists of JSPLIB and of the job-shop
    benchmarks in JSON.
    """
    found: dict[str, float] = {}
    for file in files:
        if file.suffix == ".csv":
            found |= _from_table(file.text())
        elif file.suffix == ".json":
            found |= _from_json(file.content)
        elif file.stem == "solutions":
            found |= _from_lines(file.text())
        elif file.suffix == ".sol" and (match := re.search(r"(?im)^cost\s+(\S+)", file.text())):
            found[file.stem] = float(match[1])
    return found


def _from_table(text: str) -> dict[str, float]:
    rows = list(csv.DictReader(io.StringIO(text)))
    column = next((c for c in COLUMNS if rows and c in rows[0]), None)
    if column is None or "name" not in rows[0]:
        return {}
    return {row["name"]: float(row[column]) for row in rows if row[column]}


def _from_json(text: bytes) -> dict[str, float]:
    """Of a list of objects with a `name` or `instance` and a best known objective."""
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    known: dict[str, float] = {}
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict):
            name = entry.get("name", entry.get("instance"))
            value = _best_of(entry)
            known |= {name: value} if isinstance(name, str) and value is not None else {}
    return known


def _best_of(entry: Mapping[str, Any]) -> float | None:
    """The optimum, else the best upper bound."""
    bounds = entry.get("bounds")
    within = bounds if isinstance(bounds, dict) else {}
    for value in (entry.get("optimum"), entry.get("upper_bound"), within.get("upper")):
        if isinstance(value, int | float) and math.isfinite(value):
            return float(value)
    return None


def _from_lines(text: str) -> dict[str, float]:
    pairs = re.findall(r"(?m)^\s*(\S+)\s*:\s*([\d.]+)", text)
    return {name: float(value) for name, value in pairs}


def archived_references(arrays: Mapping[str, NDArray[Any]], size: int) -> list[float | None]:
    """Best known objectives of the instances in a NumPy archive: its first array `ref_...`."""
    for name, array in arrays.items():
        if name.startswith("ref_") and array.shape == (size,):
            return [float(reference) for reference in array]
    return [None] * size
