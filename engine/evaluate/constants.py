"""What a program keeps outside its functions, and whether a walk has changed any of it."""

from __future__ import annotations

import functools
import random
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

NUMBERS = (int, float, complex, str, bytes, type(None), np.generic, Fraction, range)
"""Values that cannot change."""

LARGEST = 1 << 20
"""Bytes looked at of one array; of larger ones every so many rows."""


class Changed(Exception):
    """A program kept something from one call to the next."""


def fingerprints(namespace: Mapping[str, Any]) -> dict[str, int]:
    """A number for the value of each name of a program's module level.

    Raises Changed for an iterator, which moves on when it is read.
    """
    return {
        name: hash(_state(value, set()))
        for name, value in namespace.items()
        if not name.startswith("__")
    }


def check_unchanged(before: Mapping[str, int], namespace: Mapping[str, Any]) -> None:
    """Raise Changed when a value is no longer what it was, or a name is new."""
    after = fingerprints(namespace)
    for name in {**before, **after}:
        if before.get(name) != after.get(name):
            raise Changed(
                f"`{name}` changed while the program ran; what stands outside functions is kept "
                "over all calls and must stay as it is"
            )


def _state(value: Any, above: set[int]) -> object:
    """A hashable value that is equal as long as nothing reachable from `value` has changed."""
    if isinstance(value, NUMBERS):
        return type(value).__name__, repr(value)
    if isinstance(value, ModuleType | BuiltinFunctionType | CodeType):
        return id(value)
    if id(value) in above:  # a function that names itself
        return id(value)
    deeper = above | {id(value)}
    match value:
        case set() | frozenset():
            return frozenset(_state(part, deeper) for part in value)
        case dict():
            return tuple((_state(k, deeper), _state(v, deeper)) for k, v in value.items())
        case list() | tuple() | deque():
            return type(value).__name__, tuple(_state(part, deeper) for part in value)
        case bytearray():
            return bytes(value)
        case np.ndarray():
            return _array(value)
        case random.Random():
            return value.getstate()
        case np.random.Generator():
            return repr(value.bit_generator.state)
        case np.random.RandomState():
            return repr(value.get_state())
    return id(value), tuple(_state(part, deeper) for part in _parts(value))


def _parts(value: Any) -> Iterable[object]:
    """What a function, a class or another object of the program's holds."""
    if hasattr(type(value), "__next__"):
        raise Changed(f"{type(value).__name__} outside functions is used up; make it a tuple")
    match value:
        case FunctionType():
            cells = [_content(cell) for cell in value.__closure__ or ()]
            return value.__defaults__, value.__kwdefaults__, value.__dict__, cells
        case functools.partial():
            return value.func, value.args, value.keywords
        case type():
            own = value.__module__ == "program"
            return [part for part in vars(value).values() if own and _is_data(part)]
    slots = [getattr(value, name, None) for name in getattr(type(value), "__slots__", ())]
    return getattr(value, "__dict__", None) if _is_own(value) else None, slots


def _is_own(value: object) -> bool:
    return type(value).__module__ == "program"


def _is_data(part: object) -> bool:
    """Whether a class's attribute may hold anything; descriptors of Python's own do not."""
    return isinstance(part, (*NUMBERS, FunctionType, list, dict, set, tuple, np.ndarray))


def _content(cell: Any) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not set yet
        return None


def _array(array: np.ndarray[Any, Any]) -> object:
    rows = max(1, array.nbytes // LARGEST)
    part = np.ascontiguousarray(array[::rows] if array.ndim else array)
    if part.dtype.hasobject:
        return tuple(map(repr, part.ravel()))
    return array.shape, array.dtype.str, zlib.crc32(part.reshape(-1).view(np.uint8).data)


def settle_unset(code: str, filled: int) -> None:
    """Have the arrays that NumPy leaves unset hold a byte, in this process, for a program.

    Then it cannot read what was in memory before; and asked with another byte, it tells whether it
    reads them at all. Other programs, and those that import numba, which compiles NumPy's own
    functions alone, keep NumPy as it is.
    """
    if "empty" in code and "numba" not in code:
        for name in ("empty", "empty_like"):
            setattr(np, name, _filling(getattr(np, name), filled))


def _filling(make: Callable[..., Any], filled: int) -> Any:
    def made(*arguments: Any, **more: Any) -> np.ndarray[Any, Any]:
        array: np.ndarray[Any, Any] = make(*arguments, **more)
        if array.dtype == bool:
            array.fill(bool(filled))
        elif not array.dtype.hasobject:
            array.ravel(order="K").view(np.uint8).fill(filled)
        return array

    return made
