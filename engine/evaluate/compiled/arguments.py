"""A program's arguments as numba takes them: arrays stand for tuples, of whatever length.

Every length of a tuple would be compiled anew. The arrays are laid out as no other read-only
array of a contract is, so that `checks` can tell what they stand for. Of a named tuple only the
fields that the program names are handed over.
"""

# mypy: disable-error-code="no-untyped-call"
# (numba has few annotations)

from __future__ import annotations

from collections import namedtuple
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import from_dtype, typeof, types

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    Convert = Callable[[Any], Any]


def as_array(value: tuple[Any, ...]) -> np.ndarray[Any, Any]:
    """A tuple of whole numbers or of floats, or of tuples of them, read-only.

    Raises ValueError for rows of several lengths, TypeError for what is neither, or both.
    """
    plain = np.array(value, dtype=None if value else np.int64)
    is_known = plain.dtype == np.int64 or (plain.dtype == np.float64 and _are_floats(value))
    if not is_known or plain.size < 1 < plain.ndim:
        raise TypeError(f"a tuple of {plain.dtype}")
    spaced = np.zeros((*plain.shape, 2), plain.dtype)[..., 0]
    spaced[...] = plain
    spaced.flags.writeable = False
    return spaced


def _are_floats(value: tuple[Any, ...]) -> bool:
    """Whether all numbers in a tuple are: one that is whole would have become another."""
    if value and isinstance(value[0], tuple):
        return all(map(_are_floats, value))
    return {*map(type, value)} == {float}


def as_tuples(value: Any) -> Any:
    """What compiled code returns, with tuples in place of the arrays that stand for them."""
    if isinstance(value, tuple):
        return tuple(map(as_tuples, value))
    if isinstance(value, np.ndarray) and not value.flags.writeable:
        rows: Any = value.tolist()
        return tuple(map(tuple, rows)) if value.ndim > 1 else tuple(rows)
    return value


def converter(sample: Any, named: Collection[str]) -> Convert | None:
    """What makes values like this one fit for numba; None where they are.

    `named` are the attributes that occur in the program.
    """
    if not isinstance(sample, tuple):
        return None
    if hasattr(sample, "_fields"):
        return _Record(sample, named)
    return _Latest(as_array)


def type_of(sample: Any, named: Collection[str]) -> Any:
    """numba's type for a value and all that are like it; `named` as in `converter`."""
    if isinstance(sample, bool):
        return types.boolean
    if isinstance(sample, int):
        return types.int64
    if not isinstance(sample, tuple):
        return typeof(sample)
    if hasattr(sample, "_fields"):
        kept = _kept(sample._fields, named)
        kinds = tuple(type_of(getattr(sample, name), named) for name in kept)
        if len({*kinds}) == 1:
            return types.NamedUniTuple(kinds[0], len(kinds), _record_class(kept))
        return types.NamedTuple(kinds, _record_class(kept))
    array = as_array(sample)
    return types.Array(from_dtype(array.dtype), array.ndim, "A", readonly=True)


@cache
def _record_class(fields: tuple[str, ...]) -> Any:
    """The class of named tuples with these fields."""
    return namedtuple("Record", fields)


def _kept(fields: tuple[str, ...], named: Collection[str]) -> tuple[str, ...]:
    """The fields to hand over, one at least."""
    return tuple(field for field in fields if field in named) or fields[:1]


class _Latest:
    """A conversion that is not repeated while the same value is given."""

    def __init__(self, convert: Convert) -> None:
        self.convert = convert
        self.value: Any = None
        self.converted: Any = None

    def __call__(self, value: Any) -> Any:
        if value is not self.value:
            self.converted = self.convert(value)
            self.value = value
        return self.converted


class _Record(_Latest):
    """Converts the fields of a named tuple."""

    def __init__(self, sample: Any, named: Collection[str]) -> None:
        super().__init__(self._fields)
        kept = _kept(sample._fields, named)
        self.record = _record_class(kept)
        self.converters = [(name, converter(getattr(sample, name), named)) for name in kept]

    def _fields(self, value: Any) -> Any:
        parts = ((getattr(value, name), convert) for name, convert in self.converters)
        fitting = (part if convert is None else convert(part) for part, convert in parts)
        return self.record(*fitting)
