"""Files of others, as they come: a folder, an archive, a single file, read into memory."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import pickle
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from problems.errors import UserError

if TYPE_CHECKING:
    from numpy.typing import NDArray

T = TypeVar("T")

LARGEST = 1 << 28
"""Bytes of the largest file that is read."""

TOTAL = 1 << 31
"""Bytes of all files of a path together."""

DEEPEST = 4
"""Archives within each other that are opened: a `.tar.gz` of `.gz` files counts three."""

COLUMNS = ("optimal", "paper_reference_cost", "best_known", "reference")
"""Columns of a table that hold the best known objective, the first one found counts."""


@dataclass(frozen=True, slots=True)
class File:
    """A file: its name, with the folders inside an archive, and its content.

    `trouble` says why the content could not be read; it is empty where it could.
    """

    name: str
    content: bytes
    trouble: str = ""

    @property
    def stem(self) -> str:
        """The name without folders and suffix."""
        return PurePosixPath(self.name).stem

    @property
    def suffix(self) -> str:
        """The suffix in lower case, its dot included."""
        return PurePosixPath(self.name).suffix.lower()

    def text(self) -> str:
        """The content as text, Latin-1 where it is not UTF-8; lines end with a line feed alone.

        Raises UserError for a binary file, known by a byte of 0.
        """
        if b"\0" in self.content:
            raise UserError(f"{self.name}: not a text file")
        try:
            text = self.content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = self.content.decode("latin-1")
        return text.replace("\r\n", "\n").replace("\r", "\n")

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
    """The file at `path`; of a folder or an archive, all files in it, by name.

    Archives (`.zip`, `.tar`, `.gz`) are opened, also those in folders and in archives. A file that
    cannot be read comes with its `trouble`. Raises UserError when there is nothing at the path.
    """
    if not path.exists():
        raise UserError(f"{path}: no such file or folder")
    found = sorted(f for f in path.rglob("*") if f.is_file()) if path.is_dir() else [path]
    opening = Opening()
    return tuple(file for one in found for file in opening.read(one, path))


def title_of(path: Path) -> str:
    """What to call the contents of a path: its name, of a file without suffixes."""
    name = path.name if path.name.strip(".") else path.resolve().name
    if path.is_dir():
        return name
    archive = re.fullmatch(r"(.+?)(\.zip|\.tar|\.tgz|\.tar\.gz)", name, re.IGNORECASE)
    return archive[1] if archive else Path(name.removesuffix(".gz")).stem


class Readable(Protocol):
    """Something open for reading."""

    def read(self, size: int, /) -> bytes:
        """At most so many bytes more."""


@dataclass(slots=True)
class Opening:
    """Files as they are read and unpacked; `room` is the number of bytes that may still come."""

    room: int = TOTAL

    def read(self, path: Path, root: Path) -> Iterator[File]:
        """The file at `path`, or the files in it, called as seen from the folder `root`."""
        name = path.name if path == root else path.relative_to(root).as_posix()
        try:
            with path.open("rb") as handle:
                file = File(name, self._take(handle, name, path.stat().st_size))
        except (OSError, UserError) as error:
            yield _troubled(name, error)
        else:
            yield from self._open(file, 0)

    def _open(self, file: File, depth: int) -> Iterator[File]:
        """The file itself, or the files in it when it is an archive."""
        members = self._members(file)
        if members is None:
            yield file
        elif depth == DEEPEST:
            yield File(file.name, b"", f"{file.name}: an archive within {DEEPEST} others")
        else:
            try:
                for member in members:
                    yield from self._open(member, depth + 1)
            except Exception as error:  # a damaged archive may fail in any way
                yield _troubled(file.name, error)

    def _members(self, file: File) -> Iterator[File] | None:
        """The files in an archive, None of any other file."""
        content = io.BytesIO(file.content)
        match file.suffix:
            case ".gz" | ".tgz":
                return self._packed(file)
            case ".tar":
                return self._tape(content)
            case ".zip":
                return self._zipped(content)
            case "" if zipfile.is_zipfile(content):
                return self._zipped(content)
        return None

    def _packed(self, file: File) -> Iterator[File]:
        name = re.sub(r"(?i)\.gz$", "", re.sub(r"(?i)\.tgz$", ".tar", file.name))
        with gzip.open(io.BytesIO(file.content)) as handle:
            yield File(name, self._take(handle, name))

    def _tape(self, content: io.BytesIO) -> Iterator[File]:
        with tarfile.open(fileobj=content, mode="r:") as archive:
            for member in archive:
                if (handle := archive.extractfile(member) if member.isreg() else None) is not None:
                    yield File(member.name, self._take(handle, member.name, member.size))

    def _zipped(self, content: io.BytesIO) -> Iterator[File]:
        with zipfile.ZipFile(content) as archive:
            for member in sorted(archive.infolist(), key=lambda member: member.filename):
                if member.flag_bits & 1:
                    raise UserError("it is encrypted")
                if not member.is_dir():
                    with archive.open(member) as handle:
                        yield File(member.filename, self._take(handle, member.filename))

    def _take(self, handle: Readable, name: str, size: int = 0) -> bytes:
        """All that a file holds; `size` is its length where it is known. Raises UserError."""
        content = b"" if size > LARGEST else handle.read(min(LARGEST, self.room) + 1)
        if max(size, len(content)) > LARGEST:
            raise UserError(f"{name} is larger than {LARGEST >> 20} MiB")
        if len(content) > self.room:
            raise UserError(f"{name} and the files before it are larger than {TOTAL >> 20} MiB")
        self.room -= len(content)
        return content


def _troubled(name: str, error: Exception) -> File:
    return File(name, b"", f"{name} cannot be read: {error or type(error).__name__}")


STUMBLES = (
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    SyntaxError,
    MemoryError,
    RecursionError,
)
"""What readers raise for contents that make no sense."""


def read_by_suffix(
    readers: Mapping[str, Callable[[File], Sequence[T]]], file: File
) -> Sequence[T]:
    """What the reader for a file's suffix finds in it; nothing in a file of another kind.

    Raises UserError, as readers do, and for whatever else makes one stumble.
    """
    reader = readers.get(file.suffix)
    try:
        return () if reader is None else reader(file)
    except STUMBLES as error:
        raise UserError(f"{file.name}: its contents are inconsistent ({error})") from error


@dataclass(frozen=True, slots=True)
class BestKnown:
    """Best known objectives by instance name, and the files they come from.

    `complaints` are pairs of a file and a line about a value in it that is left out.
    """

    values: Mapping[str, float]
    files: frozenset[str]
    complaints: tuple[tuple[str, str], ...]


def read_references(files: Iterable[File]) -> BestKnown:
    """Best known objectives by instance name, from the files of a benchmark that hold them.

    `solutions` (lines of `name : value`), tables with a column `name` and one of `COLUMNS`,
    CVRPLIB's `.sol` files (a line `Cost value`), and the lists of JSPLIB and of the job-shop
    benchmarks in JSON. A value that is not plainly a number is left out and reported.
    """
    values: dict[str, float] = {}
    used = set()
    complaints = []
    for file in files:
        try:
            found = {} if file.trouble else _named_values(file)
        except UserError as error:
            complaints.append((file.name, str(error)))
            continue
        figures = {name: read_figure(value) for name, value in found.items()}
        values |= {name: figure for name, figure in figures.items() if figure is not None}
        unread = [name for name, figure in figures.items() if figure is None]
        if unread:
            more = f", nor are {len(unread) - 1} more" if unread[1:] else ""
            shown = f"{found[unread[0]]!r}, best known of {unread[0]}"
            complaints.append((file.name, f"{file.name}: {shown}, is not a number{more}"))
        if found:
            used.add(file.name)
    return BestKnown(values, frozenset(used), tuple(complaints))


def read_figure(value: str) -> float | None:
    """The number that a text is, None for any other text: `1,400` may mean two numbers."""
    plain = re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", value, re.ASCII | re.IGNORECASE)
    figure = float(value) if plain else math.inf
    return figure if math.isfinite(figure) else None


def first_word(text: str) -> str:
    """The first word of a value with a remark behind it; the whole where more figures follow."""
    found = re.fullmatch(r"\s*(\S+)\s+[^\s\d.,+-].*|\s*(\S*)\s*", text, re.DOTALL)
    return text.strip() if found is None else found[1] or found[2]


def _named_values(file: File) -> dict[str, str]:
    """By instance name the text that stands for its best known objective."""
    if file.suffix == ".csv":
        return _from_table(file)
    if file.suffix == ".json":
        return _from_json(file.content)
    if file.stem == "solutions":
        lines = re.findall(r"(?m)^[ \t]*(\S+?)[ \t]*:(.*)$", file.text())
        return {name: first_word(value) for name, value in lines}
    cost = r"(?im)^[^\S\n]*cost\b\s*:?(.*)$"
    if file.suffix == ".sol" and (found := re.search(cost, file.text())):
        return {file.stem: first_word(found[1])}
    return {}


def _from_table(file: File) -> dict[str, str]:
    try:
        rows = list(csv.DictReader(io.StringIO(file.text())))
    except csv.Error as error:
        raise UserError(f"{file.name}: {error}") from error
    column = next((c for c in COLUMNS if rows and c in rows[0]), None)
    if column is None or "name" not in rows[0]:
        return {}
    return {row["name"]: row[column].strip() for row in rows if row["name"] and row[column]}


def _from_json(text: bytes) -> dict[str, str]:
    """Of a list of objects with a `name` or `instance` and a best known objective."""
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    known: dict[str, str] = {}
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict):
            name = entry.get("name", entry.get("instance"))
            bounds = entry.get("bounds")
            upper = bounds.get("upper") if isinstance(bounds, dict) else None
            given = (entry.get("optimum"), entry.get("upper_bound"), upper)
            values = [str(value) for value in given if isinstance(value, int | float)]
            known |= {name: values[0]} if isinstance(name, str) and values else {}
    return known


def archived_references(arrays: Mapping[str, NDArray[Any]], size: int) -> list[float | None]:
    """Best known objectives of the instances in a NumPy archive: its first array `ref_...`."""
    for name, array in arrays.items():
        if name.startswith("ref_") and array.shape == (size,):
            return [float(reference) for reference in array]
    return [None] * size


class ArrayUnpickler(pickle.Unpickler):
    """Builds numbers, texts, containers and NumPy arrays, and refuses to look up anything else."""

    def find_class(self, module: str, name: str) -> Any:
        """What an array is made with. Raises UnpicklingError for any other name."""
        import numpy as np

        made_by = {
            "multiarray": ("_reconstruct", np.zeros(0).__reduce__()[0]),
            "numeric": ("_frombuffer", np.zeros(0).__reduce_ex__(5)[0]),
        }
        allowed = {
            ("numpy", "ndarray"): np.ndarray,
            ("numpy", "dtype"): np.dtype,
            **{
                (f"numpy.{core}.{part}", function): made
                for part, (function, made) in made_by.items()
                for core in ("core", "_core")  # as NumPy called it until 2.0, and since
            },
        }
        if (module, name) not in allowed:
            raise pickle.UnpicklingError(f"it contains a {module}.{name}")
        return allowed[module, name]


def read_pickle(file: File, unpickler: type[ArrayUnpickler] = ArrayUnpickler) -> Any:
    """The value in a pickle file. Raises UserError for one that is broken or holds more."""
    try:
        return unpickler(io.BytesIO(file.content)).load()
    except Exception as error:  # a broken pickle may fail in any way
        raise UserError(f"{file.name}: not a pickle of plain arrays ({error})") from error
