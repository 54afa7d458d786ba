"""TOML files of the user's as typed values; what does not fit is refused in one line.

The line names the file, the key and what is expected there; of an unknown key, the nearest one.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec.inspect import DataclassType, VarTupleType, type_info

from problems.errors import UnknownName, UserError

Value = TypeVar("Value")


def parse_toml(file: Path) -> dict[str, Any]:
    """The table that a file holds. Raises UserError."""
    try:
        return dict(msgspec.toml.decode(file.read_bytes().removeprefix(BOM_UTF8)))
    except OSError as error:
        raise UserError(f"{file}: {error.strerror}") from error
    except ValueError as error:
        said, _, line = str(error).removesuffix(")").partition(" (at line ")
        place = f"{file}:{line.split(',')[0]}" if line else str(file)
        raise UserError(f"{place}: {said}") from error


def read_table(name: str, table: object, kind: type[Value], /, **given: object) -> Value:
    """The value of a type that a table holds, besides the fields that are `given`.

    `name` is what messages call the table. Raises UnknownName for a key that no dataclass in
    `kind` has, UserError for whatever else does not fit.
    """
    _refuse_unknown(name, table, type_info(kind), given)
    whole = {**table, **given} if isinstance(table, dict) else table
    try:
        return msgspec.convert(whole, kind)
    except msgspec.ValidationError as error:
        said, _, place = re.sub("`?[Oo]bject`?", "table", str(error)).partition(" - at `$.")
        parts = (name, place.rstrip("`"), said)
        raise UserError(": ".join(filter(None, parts))) from error


def _refuse_unknown(name: str, table: object, kind: object, given: dict[str, object]) -> None:
    if isinstance(kind, DataclassType) and isinstance(table, dict):
        known = {field.name: field.type for field in kind.fields if field.name not in given}
        for key, value in table.items():
            if key not in known:
                raise UnknownName(f"key of {name}", key, known)
            _refuse_unknown(f"{name}: {key}", value, known[key], {})
    if isinstance(kind, VarTupleType) and isinstance(table, list):
        for place, item in enumerate(table):
            _refuse_unknown(f"{name}[{place}]", item, kind.item_type, {})
