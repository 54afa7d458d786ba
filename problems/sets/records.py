"""Instances as they were read from files and are kept, and what identifies a set of them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
