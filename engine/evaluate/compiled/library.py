"""What compiled programs call in place of Python's builtins: the same results, or an error.

An error does no harm: Python then solves the instance. numba compiles each function for the types
that it meets; where types decide, `overload` chooses what stands for a stub that nothing calls.
"""

from __future__ import annotations

import ctypes
import math
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit, types
from numba.extending import overload

from engine.evaluate.compiled import exact
from engine.evaluate.compiled.source.words import C_FUNCTIONS, OURS, TYPES, c_name, our_name
from engine.evaluate.compiled.tuples import choose_frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from problems.base import Function

    Implementation = Callable[..., Any] | None
    """What `overload` asks for: a function, or None to refuse the types."""

OPTIONS: Any = {"boundscheck": True, "error_model": "python"}

EXACT = float(exact.EXACT)

COMPENSATES = sys.version_info >= (3, 12)
"""Whether Python adds floats up better than one by one."""


@cache
def library() -> Mapping[str, Function]:
    """All functions, by the names that translated programs know them by."""
    found = ctypes.CDLL(None)
    functions = {c_name(name): _bind(found[name], count) for name, count in C_FUNCTIONS.items()}
    kinds = {our_name(kind): getattr(np, kind) for kind in TYPES.values()}
    return functions | kinds | {our_name(name): globals()[name] for name in OURS}


def jit(function: Callable[..., Any]) -> Function:
    """A function for numba to compile."""
    return njit(**OPTIONS)(function)


def _jit_in_lanes(function: Callable[..., Any]) -> Function:
    """The same, several numbers at a time: only for sums that are exact in whatever order.

    What it is given must fit, for no index is checked.
    """
    return njit(boundscheck=False, error_model="numpy", fastmath={"reassoc"})(function)


def _bind(function: Any, count: int) -> Function:
    """A function of C, which raises where Python would or where the result is no number.

    numba's own may differ in the last bit: it turns `x ** 2` into `x * x`.
    """
    function.argtypes = [ctypes.c_double] * count
    function.restype = ctypes.c_double

    def one(x: float) -> float:
        result: float = function(float(x))
        if not math.isfinite(result):
            raise ValueError
        return result

    def two(x: float, y: float) -> float:
        result: float = function(float(x), float(y))
        if not math.isfinite(result):
            raise ValueError
        return result

    return jit(one if count == 1 else two)


def _overloaded(choose: Callable[..., Implementation]) -> Function:
    """A stub that numba replaces by what `choose` returns for the types of its arguments."""

    def stub(*arguments: Any) -> Any:
        raise NotImplementedError

    overload(stub, jit_options=OPTIONS, strict=False)(choose)
    return stub


def _is_whole(kind: Any) -> bool:
    return isinstance(kind, types.Integer | types.Boolean)


# Whole numbers: Python's have no end, numba's 64 bits.


def _choose_whole(x: Any) -> Implementation:
    if _is_whole(x):
        return lambda x: x + 0
    if not isinstance(x, types.Float):
        return None

    def truncated(x: float) -> int:
        if not abs(x) <= EXACT:
            raise ValueError
        return int(x)

    return truncated


def _choose_rounded(x: Any) -> Implementation:
    if _is_whole(x):
        return lambda x: x + 0
    if not isinstance(x, types.Float):
        return None

    def nearest(x: float) -> int:
        if not abs(x) <= EXACT:
            raise ValueError
        return round(x)

    return nearest


def _choose_rounded_down(x: Any) -> Implementation:
    if _is_whole(x):
        return lambda x: x + 0
    return (lambda x: whole(np.floor(x))) if isinstance(x, types.Float) else None


def _choose_rounded_up(x: Any) -> Implementation:
    if _is_whole(x):
        return lambda x: x + 0
    return (lambda x: whole(np.ceil(x))) if isinstance(x, types.Float) else None


def _choose_power(a: Any, b: Any) -> Implementation:
    if not (_is_whole(a) and _is_whole(b)):
        to_the = library()[c_name("pow")]
        return lambda a, b: to_the(a, b)

    def repeated(a: int, b: int) -> int:
        if b < 0:
            raise ValueError
        result = 1
        for _ in range(b):
            result *= a
        return result

    return repeated


whole = _overloaded(_choose_whole)
rounded = _overloaded(_choose_rounded)
rounded_down = _overloaded(_choose_rounded_down)
rounded_up = _overloaded(_choose_rounded_up)
power = _overloaded(_choose_power)


divided = jit(lambda a, b: (a // b, a % b))


def _choose_plain(x: Any) -> Implementation:
    if isinstance(x, types.Boolean):
        return lambda x: bool(x)
    return (lambda x: x + 0) if isinstance(x, types.Integer) else None


plain = _overloaded(_choose_plain)


def _known(value: Any, is_set: Any) -> Any:
    if not is_set:
        raise ValueError
    return value


known = jit(_known)


# Sequences. A set has another order in numba.


def _choose_total(items: Any, start: Any = 0) -> Implementation:
    if COMPENSATES and not _is_whole(getattr(items, "dtype", None)):
        return None

    def one_by_one(items: Any, start: Any = 0) -> Any:
        result = start
        for item in items:
            result = result + item
        return result

    return one_by_one


total = _overloaded(_choose_total)


def _choose_listed(items: Any) -> Implementation:
    return None if isinstance(items, types.Set) else lambda items: [item for item in items]


def _choose_nested_list(items: Any) -> Implementation:
    if not isinstance(items, types.Array) or items.ndim > 2:
        return None
    if items.ndim == 1:
        return lambda items: [item for item in items]
    return lambda items: [[item for item in row] for row in items]


listed = _overloaded(_choose_listed)
nested_list = _overloaded(_choose_nested_list)


def _every(items: Any) -> bool:
    for item in items:  # noqa: SIM110 (numba knows no `all`)
        if not item:
            return False
    return True


def _some(items: Any) -> bool:
    for item in items:  # noqa: SIM110 (the same)
        if item:
            return True
    return False


def _smallest(items: Any) -> Any:
    best = items[0]
    for item in items:
        if item < best:
            best = item
    return best


def _largest(items: Any) -> Any:
    best = items[0]
    for item in items:
        if item > best:
            best = item
    return best


def _backwards(items: Any) -> Any:
    return [items[place] for place in range(len(items) - 1, -1, -1)]


every = jit(_every)
some = jit(_some)
smallest = jit(_smallest)
largest = jit(_largest)
backwards = jit(_backwards)
first = jit(lambda items: items[0])
first_or = jit(lambda items, other: items[0] if len(items) else other)
smallest_or = jit(lambda items, other: smallest(items) if len(items) else other)
largest_or = jit(lambda items, other: largest(items) if len(items) else other)


def _no_items(sample: Any) -> Any:
    items = [sample]
    items.pop()
    return items


no_items = jit(_no_items)
as_floats = jit(lambda items: [float(item) for item in items])


frozen = _overloaded(choose_frozen)


# Order: as in Python equal items stay in theirs. What is no number has no place.


def _precedes(a: Any, b: Any, reverse: Any) -> bool:
    if reverse:
        return bool(b < a)
    return bool(a < b)


_before = jit(_precedes)


def _merged(keys: Any, order: Any, spare: Any, width: int, reverse: Any) -> None:
    """One pass of a merge sort: pairs of runs of `width` in `order` become one in `spare`."""
    count = len(order)
    for low in range(0, count, 2 * width):
        middle = min(low + width, count)
        high = min(low + 2 * width, count)
        left = low
        right = middle
        for place in range(low, high):
            if right == high or (
                left < middle and not _before(keys[order[right]], keys[order[left]], reverse)
            ):
                spare[place] = order[left]
                left += 1
            else:
                spare[place] = order[right]
                right += 1


_merge = jit(_merged)


def _order(keys: Any, reverse: Any) -> Any:
    for key in keys:
        if not key == key:
            raise ValueError
    order = np.arange(len(keys))
    spare = order.copy()
    for doubling in range(62):
        width = 1 << doubling
        if width >= len(keys):
            break
        _merge(keys, order, spare, width, reverse)
        order, spare = spare, order
    return order


_ordered = jit(_order)


def _ascending(items: Any, reverse: Any = False) -> Any:
    keys = [item for item in items]
    return [keys[place] for place in _ordered(keys, plain(reverse))]


def _sort(items: Any, reverse: Any = False) -> None:
    keys = [item for item in items]
    places = _ordered(keys, plain(reverse))
    for place in range(len(keys)):
        items[place] = keys[places[place]]


def _ascending_by(pairs: Any, reverse: Any = False) -> Any:
    keys = [pair[0] for pair in pairs]
    return [pairs[place][1] for place in _ordered(keys, plain(reverse))]


def _sort_by(items: Any, pairs: Any, reverse: Any = False) -> None:
    keys = [pair[0] for pair in pairs]
    places = _ordered(keys, plain(reverse))
    for place in range(len(keys)):
        items[place] = pairs[places[place]][1]


def _smallest_by(pairs: Any) -> Any:
    best = 0
    for place in range(1, len(pairs)):
        if pairs[place][0] < pairs[best][0]:
            best = place
    return pairs[best][1]


def _largest_by(pairs: Any) -> Any:
    best = 0
    for place in range(1, len(pairs)):
        if pairs[place][0] > pairs[best][0]:
            best = place
    return pairs[best][1]


ascending = jit(_ascending)
sort = jit(_sort)
ascending_by = jit(_ascending_by)
sort_by = jit(_sort_by)
smallest_by = jit(_smallest_by)
largest_by = jit(_largest_by)


def _choose_places(items: Any) -> Implementation:
    return (lambda items: _ordered(items, plain(False))) if _is_line(items) else None


def _choose_distinct_places(items: Any) -> Implementation:
    if not _is_line(items):
        return None

    def places(items: Any) -> Any:
        order = _ordered(items, plain(False))
        for place in range(1, len(order)):
            if not items[order[place - 1]] < items[order[place]]:
                raise ValueError
        return order

    return places


def _is_line(items: Any) -> bool:
    return isinstance(items, types.Array | types.List) and getattr(items, "ndim", 1) == 1


places = _overloaded(_choose_places)
distinct_places = _overloaded(_choose_distinct_places)
"""NumPy's `argsort`, stable or not: then where equal items go is not known."""


# Arrays. NumPy adds floats up in blocks of 128, each by eight sums side by side.


def _is_array(kind: Any, depth: int) -> bool:
    return isinstance(kind, types.Array) and kind.ndim == depth


def _choose_arrayed(items: Any) -> Implementation:
    if isinstance(items, types.Array):
        return lambda items: items.copy()
    return (lambda items: np.array(items)) if isinstance(items, types.List) else None


def _choose_array_of(kind: Any) -> Callable[[Any], Implementation]:
    def choose(items: Any) -> Implementation:
        if isinstance(items, types.Array):
            return lambda items: items.astype(kind)
        return (
            (lambda items: np.array(items, dtype=kind)) if isinstance(items, types.List) else None
        )

    return choose


arrayed = _overloaded(_choose_arrayed)
float_array = _overloaded(_choose_array_of(np.float64))
int_array = _overloaded(_choose_array_of(np.int64))
bool_array = _overloaded(_choose_array_of(np.bool_))


def _crossed(table: Any, rows: Any, columns: Any) -> Any:
    found = np.zeros((len(rows), len(columns)), table.dtype)
    for i in range(len(rows)):
        for j in range(len(columns)):
            found[i, j] = table[rows[i], columns[j]]
    return found


def _picked(table: Any, rows: Any, columns: Any) -> Any:
    if len(rows) != len(columns):
        raise ValueError
    found = np.zeros(len(rows), table.dtype)
    for i in range(len(rows)):
        found[i] = table[rows[i], columns[i]]
    return found


def _above_diagonal(size: Any, distance: Any) -> Any:
    count = 0
    for i in range(size):
        count += max(0, size - max(0, i + distance))
    rows = np.zeros(count, np.int64)
    columns = np.zeros(count, np.int64)
    count = 0
    for i in range(size):
        for j in range(max(0, i + distance), size):
            rows[count] = i
            columns[count] = j
            count += 1
    return rows, columns


crossed = jit(_crossed)
picked = jit(_picked)
above_diagonal = jit(_above_diagonal)


def _block_sum(items: Any, start: Any, count: Any) -> Any:
    if count < 8:
        result = -0.0
        for place in range(start, start + count):
            result += items[place]
        return result
    sums = np.zeros(8)
    for lane in range(8):
        sums[lane] = items[start + lane]
    whole_rows = count - count % 8
    for place in range(8, whole_rows, 8):
        for lane in range(8):
            sums[lane] += items[start + place + lane]
    result = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + (
        (sums[4] + sums[5]) + (sums[6] + sums[7])
    )
    for place in range(whole_rows, count):
        result += items[start + place]
    return result


_sum_of_block = jit(_block_sum)


def _tree_sum(items: Any, start: Any, count: Any) -> Any:
    if count <= 128:
        return _sum_of_block(items, start, count)
    half = count // 2
    half -= half % 8
    return _sum_of_tree(items, start, half) + _sum_of_tree(items, start + half, count - half)


_sum_of_tree = jit(_tree_sum)


def _choose_pairwise(items: Any) -> Implementation:
    if not isinstance(items, types.Array | types.List):
        return None
    if _is_whole(items.dtype):
        return lambda items: total(items)
    if isinstance(items, types.List):
        return lambda items: pairwise(np.array(items))
    if items.ndim != 1:
        return None
    return lambda items: 0.0 + _sum_of_tree(items, 0, len(items))


pairwise = _overloaded(_choose_pairwise)


def _mean(items: Any) -> Any:
    if len(items) == 0:
        raise ValueError
    return pairwise(items) / len(items)


mean = jit(_mean)


WHOLE = 2.0**20
"""Sums of products of whole numbers below this are exact, in whatever order they are added up."""


def _is_other(item: Any) -> Any:
    return not abs(item) < WHOLE or item != np.floor(item)


def _has_others(items: Any) -> Any:
    found = False
    for place in range(len(items)):
        found |= _other(items[place])
    return found


def _add_products(a: Any, b: Any) -> Any:
    """The sum, and whether `a` has others than such numbers."""
    result = 0.0
    found = False
    for place in range(len(a)):
        found |= _other(a[place])
        result += a[place] * b[place]
    return result, found


def _multiply_rows(table: Any, column: Any) -> Any:
    result = np.zeros(len(table))
    found = False
    for row in range(len(table)):
        result[row], others = _products(table[row], column)
        found |= others
    return result, found


def _add_rows(factors: Any, table: Any) -> Any:
    result = np.zeros(table.shape[1])
    found = False
    for row in range(len(table)):
        for place in range(len(result)):
            found |= _other(table[row, place])
            result[place] += factors[row] * table[row, place]
    return result, found


_other = _jit_in_lanes(_is_other)
_others_in = _jit_in_lanes(_has_others)
_products = _jit_in_lanes(_add_products)
_rows_times = _jit_in_lanes(_multiply_rows)
_rows_added = _jit_in_lanes(_add_rows)


def _choose_exact_product(a: Any, b: Any) -> Implementation:
    if _is_array(a, 1) and _is_array(b, 1):
        return _dot
    if _is_array(a, 2) and _is_array(b, 1):
        return _times_column
    return _row_times if _is_array(a, 1) and _is_array(b, 2) else None


def _dot(a: Any, b: Any) -> Any:
    if len(a) != len(b) or _others_in(b):
        raise ValueError
    result, found = _products(a, b)
    if found:
        raise ValueError
    return result


def _times_column(a: Any, b: Any) -> Any:
    if a.shape[1] != len(b) or _others_in(b):
        raise ValueError
    result, found = _rows_times(a, b)
    if found:
        raise ValueError
    return result


def _row_times(a: Any, b: Any) -> Any:
    if len(a) != len(b) or _others_in(a):
        raise ValueError
    result, found = _rows_added(a, b)
    if found:
        raise ValueError
    return result


exact_product = _overloaded(_choose_exact_product)
