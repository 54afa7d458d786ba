"""A recording: one file that carries a whole run from machine to machine, and can do no harm.

It is xz over lines of JSON, so `xz -dc X.run | less` reads it. The first line says what it is,
each further one is a row of the run store: the table's name and its columns, blobs as the text
that they hold. The xz frame carries a SHA-256. Nothing in it is ever executed or unpickled.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.domain.specs.settings import RunSpec
from engine.domain.text import codec
from engine.domain.values import Reply, Request
from engine.store import schema
from problems import refuse_gone
from problems.errors import UserError, WorldError

Row = tuple[str, dict[str, Any]]

SUFFIX = ".run"
"""How the name of a recording ends."""

FORMAT = 1
"""Version of the layout described above."""

LARGEST = 1 << 29
"""Bytes that a recording may hold unpacked: about 4,000 calls of the default search."""

LONGEST = 1 << 26
"""Bytes that one row may hold."""

_CHUNK = 1 << 20
_MEMORY = 1 << 28
_HEAD = "preceptor recording"


def write_recording(file: Path, rows: Iterable[Row]) -> None:
    """Write rows to a new file, whole or not at all. Raises WorldError."""
    steps = [name for name, _ in schema.MIGRATIONS]
    part = file.with_name(f"{file.name}.part")
    try:
        with lzma.open(part, "wt", check=lzma.CHECK_SHA256, encoding="utf-8") as text:
            for line in ([_HEAD, {"format": FORMAT, "schema": steps}], *rows):
                text.write(json.dumps(line, ensure_ascii=False) + "\n")
        part.replace(file)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise WorldError(f"{file} cannot be written: {error.strerror}") from error


def read_recording(file: Path) -> Iterator[Row]:
    """The rows of a file, in its order.

    Raises UserError for a file that is none or that a newer version wrote, and for one that is
    damaged, cut off or too large: what came before is then not to be trusted either.
    """
    lines = _lines(file)
    kind, head = _parse(file, next(lines, b""))
    if kind != _HEAD:
        raise UserError(f"{file} is no recorded run; preceptor export-run writes one")
    known = {name for name, _ in schema.MIGRATIONS}
    if head.get("format") != FORMAT or not known.issuperset(head.get("schema", ())):
        raise UserError(f"{file}: written by a newer version; update Preceptor")
    for line in lines:
        yield _parse(file, line)


def read_exchanges(file: Path) -> list[tuple[Request, Reply]]:
    """What a recorded run asked, and the replies.

    Raises UserError, and Gone for a run of a problem that was removed.
    """
    exchanges = []
    try:
        for table, row in read_recording(file):
            if table == "runs":
                refuse_gone(codec.decode(RunSpec, row["spec"]).problem)
            if table == "calls" and row["reply"] is not None:
                asked = codec.decode(Request, row["request"])
                exchanges.append((asked, codec.decode(Reply, row["reply"])))
        return exchanges
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise damaged(file) from error


def damaged(file: Path) -> UserError:
    """What is said of a file that does not hold what it should."""
    return UserError(f"{file} is damaged or no recorded run; copy it again, or record it anew")


def _parse(file: Path, line: bytes) -> Row:
    try:
        table, columns = json.loads(line)
    except (ValueError, TypeError, RecursionError) as error:
        raise damaged(file) from error
    if not isinstance(table, str) or not isinstance(columns, dict):
        raise damaged(file)
    return table, columns


def _lines(file: Path) -> Iterator[bytes]:
    """The lines of a file; no more than one row and one chunk are in memory."""
    begun = b""
    for piece in _unpacked(file):
        *lines, begun = (begun + piece).split(b"\n")
        if len(begun) > LONGEST:
            raise damaged(file)
        yield from lines
    if begun:
        raise damaged(file)


def _unpacked(file: Path) -> Iterator[bytes]:
    """The content in pieces, within bounds on size and memory, to the checksum at its end."""
    unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, _MEMORY)
    left = LARGEST
    try:
        with file.open("rb") as packed:
            while not unpacker.eof and left >= 0:
                more = packed.read(_CHUNK) if unpacker.needs_input else b""
                if unpacker.needs_input and not more:
                    break
                piece = unpacker.decompress(more, _CHUNK)
                left -= len(piece)
                yield piece
    except lzma.LZMAError as error:
        raise damaged(file) from error
    except OSError as error:
        raise UserError(f"{file} cannot be read: {error.strerror}") from error
    if not unpacker.eof or unpacker.unused_data or unpacker.check != lzma.CHECK_SHA256:
        raise damaged(file)
