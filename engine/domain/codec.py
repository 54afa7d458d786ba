"""Values to canonical JSON and back, exactly: the only place where they become text.

Equal values give equal text: keys are sorted, fields follow their declared types (an int in a
float field is written as a float, -0.0 as 0.0, both as SQLite returns them), floats are written
so that they read back bit for bit.
"""

from __future__ import annotations

import hashlib
import json
import types
import zlib
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

Value = TypeVar("Value")


def encode(value: object, kind: object = None) -> str:
    """Canonical JSON of a dataclass, or of any value whose type is `kind`."""
    return _dump(_plain(kind or type(value), value))


def decode(kind: type[Value], text: str) -> Value:
    """The value that `encode` wrote; unknown fields are skipped, missing ones take defaults."""
    return cast("Value", _value(kind, json.loads(text)))


def pack(text: str) -> bytes:
    """Text, compressed for a blob."""
    return zlib.compress(text.encode(), 6)


def unpack(blob: bytes) -> str:
    """The text of a blob."""
    return zlib.decompress(blob).decode()


def content_key(*parts: object) -> str:
    """sha256 over the canonical JSON of its parts: text, numbers, None, dataclasses, tuples."""
    plain = [_plain(type(part), part) for part in parts]
    return hashlib.sha256(_dump(plain).encode()).hexdigest()


def _dump(plain: object) -> str:
    return json.dumps(plain, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _plain(kind: Any, value: Any) -> Any:
    """Dataclasses to objects, tuples to lists, numbers to their declared type."""
    if value is None or get_origin(kind) is Literal:
        return value
    if is_dataclass(value):
        hints = _hints(cast("type", type(value)))
        return {name: _plain(hint, getattr(value, name)) for name, hint in hints.items()}
    if isinstance(value, tuple | list):
        return [_plain(hint, item) for hint, item in zip(_items(kind, value), value, strict=True)]
    return _number(_only(kind), value)


def _number(kind: Any, value: Any) -> Any:
    if kind is float:
        return float(value) + 0.0  # turns -0.0 into 0.0
    if kind is int:
        return int(value)
    return value


def _value(kind: Any, plain: Any) -> Any:
    kind = _only(kind)
    if plain is None:
        return None
    if is_dataclass(kind):
        hints = _hints(cast("type", kind))
        known = {name: _value(hints[name], item) for name, item in plain.items() if name in hints}
        return cast("type", kind)(**known)
    if isinstance(plain, list):
        return tuple(
            _value(hint, item) for hint, item in zip(_items(kind, plain), plain, strict=True)
        )
    return plain


def _only(kind: Any) -> Any:
    """The type behind `X | None`; other unions stay."""
    if get_origin(kind) in (Union, types.UnionType):
        choices = [choice for choice in get_args(kind) if choice is not type(None)]
        return choices[0] if len(choices) == 1 else kind
    return kind


def _items(kind: Any, value: Any) -> list[Any]:
    """The type of each item of a tuple: `tuple[X, ...]`, `tuple[X, Y]`, or as they come."""
    arguments = get_args(_only(kind))
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return [arguments[0]] * len(value)
    return list(arguments) or [type(item) for item in value]


@cache
def _hints(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}
