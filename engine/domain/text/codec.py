"""Values to canonical JSON and back, exactly: the only place where they become text.

Equal values give equal text: keys are sorted, fields follow their declared types (an int in a
float field is written as a float, -0.0 as 0.0, both as SQLite returns them), floats are written
so that they read back bit for bit.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Hashable
from functools import cache
from numbers import Integral, Real
from typing import Any, TypeVar, cast

import msgspec

Value = TypeVar("Value")

LONGEST = 1 << 26
"""Bytes that a blob may hold unpacked: what is longer was made to fill the memory."""


def encode(value: object, kind: object = None) -> str:
    """Canonical JSON of a dataclass, or of any value whose type is `kind`.

    Raises ValueError for a value that does not fit its type, TypeError for one without a text.
    """
    return _dump(_plain(value, kind or type(value)))


def decode(kind: type[Value], text: str) -> Value:
    """The value that `encode` wrote; unknown fields are skipped, missing ones take defaults.

    Raises ValueError for a text that does not fit.
    """
    try:
        found: Value = _decoder(cast("Hashable", kind)).decode(text)
    except msgspec.DecodeError:  # an infinity, which only json knows, or what does not fit
        found = msgspec.convert(json.loads(text), kind)
    return found


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def pack(text: str) -> bytes:
    """Text, compressed for a blob."""
    return zlib.compress(text.encode(), 6)


def unpack(blob: bytes) -> str:
    """The text of a blob. Raises ValueError for one that is damaged or longer than `LONGEST`."""
    unpacker = zlib.decompressobj()
    try:
        text = unpacker.decompress(blob, LONGEST)
    except zlib.error as error:
        raise ValueError(f"a damaged blob: {error}") from error
    if not unpacker.eof:
        raise ValueError(f"a blob that is cut off, or longer than {LONGEST} bytes")
    return text.decode()


def content_key(*parts: object) -> str:
    """sha256 over the canonical JSON of its parts: text, numbers, None, dataclasses, tuples."""
    plain = [_plain(part, type(part)) for part in parts]
    return hashlib.sha256(_dump(plain).encode()).hexdigest()


def _dump(plain: object) -> str:
    return json.dumps(plain, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _plain(value: object, kind: Any) -> Any:
    """Dataclasses as objects, tuples as lists, numbers of their declared type."""
    typed = msgspec.convert(msgspec.to_builtins(value, enc_hook=simplify), kind)
    return _unsign(msgspec.to_builtins(typed))


def simplify(value: object) -> object:
    """A number or a text of another library's as Python's own. Raises TypeError."""
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, str):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no text")


def _unsign(plain: Any) -> Any:
    """The same with every -0.0 as 0.0."""
    if isinstance(plain, dict):
        return {name: _unsign(item) for name, item in plain.items()}
    if isinstance(plain, list | tuple):
        return [_unsign(item) for item in plain]
    return plain + 0.0 if isinstance(plain, float) else plain
