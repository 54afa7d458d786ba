"""What the operators and functions of a rule mean when numba compiles it: what Python means.

Each word is an overload for the types for which it is known to mean the same; for others there is
none, numba refuses the program, and Python runs it. Where Python would raise, or continue with
numbers that no machine word holds, a word raises, and Python solves that instance.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, call-arg, type-var, arg-type"
# (numba types the functions that words stand for)

from __future__ import annotations

import ctypes
import math
import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic, overload, register_jitable
from numba.typed.typedobjectutils import _nonoptional as nonoptional

EXACT = 1 << 53
"""Whole numbers up to here are floats without loss; larger ones are left to Python."""

WIDE = 1 << 31
"""The product of two whole numbers below has 64 bits."""

PAIRWISE = 128
"""Numbers that NumPy adds up in one go; of more it adds halves (`pairwise.h` of NumPy)."""

OPTIONS: dict[str, Any] = {"boundscheck": True, "error_model": "python"}
"""How rules are compiled: what Python raises is raised."""

WORDS: dict[str, Any] = {}
"""What stands for operators, functions and methods in compiled code, by name (`text.py`)."""


def _word(name: str, choose: Callable[..., Any], count: int = 1) -> None:
    """Add a word of one to four arguments.

    `choose` gives an implementation for their types, None where there is none.
    """

    def word(*arguments):
        raise NotImplementedError

    def one(a):
        return (lambda a: word(nonoptional(a))) if _is_optional(a) else choose(a)

    def two(a, b):
        if _is_optional(a):
            return lambda a, b: word(nonoptional(a), b)
        if _is_optional(b):
            return lambda a, b: word(a, nonoptional(b))
        return choose(a, b)

    word.__name__ = name  # numba names it where it has nothing for some types
    overload(word, jit_options=OPTIONS)({1: one, 2: two, 3: choose, 4: choose}[count])
    WORDS[name] = word


def _is_optional(kind: Any) -> bool:
    return isinstance(kind, types.Optional)


def is_int(kind: Any) -> bool:
    """Whether a type holds whole numbers; truth values are none."""
    return isinstance(kind, types.Integer)


def _is_flag(kind: Any) -> bool:
    return isinstance(kind, types.Boolean)


def is_number(kind: Any) -> bool:
    """Whether a type holds whole numbers or floats."""
    return isinstance(kind, types.Integer | types.Float)


def is_array(kind: Any) -> bool:
    """Whether a type is an array of numbers in Python, too: short integers stand for tuples."""
    known = types.int64, types.float64
    return isinstance(kind, types.Array) and kind.dtype in known


def is_row(kind: Any) -> bool:
    """Whether a type is a list, a tuple or a one-dimensional array of numbers."""
    if isinstance(kind, types.Array):
        return kind.ndim == 1 and is_number(kind.dtype)
    return isinstance(kind, types.List | types.UniTuple) and is_number(kind.dtype)


def _is_vector(kind: Any) -> bool:
    return is_array(kind) and kind.ndim == 1


@register_jitable
def check_exact(number):
    """The same whole number. Raises OverflowError for one that a float may not hold."""
    if number > EXACT or number < -EXACT:
        raise OverflowError
    return number


@register_jitable
def exact_product(a, b):
    """Their product. Raises OverflowError for one that a float may not hold."""
    small = -WIDE < a < WIDE and -WIDE < b < WIDE
    if not small and abs(float(a) * float(b)) > 2.0 * EXACT:  # cut to 64 bits it could be small
        raise OverflowError
    return check_exact(a * b)


# Operators.


def _remainder(operation: Callable[..., Any]) -> Callable[..., Any]:
    """Of numbers; floats beyond `EXACT` may be whole numbers in Python, of which more is known."""

    def plain(a, b):
        if not (-EXACT < a < EXACT and -EXACT < b < EXACT):
            raise OverflowError
        return operation(a, b)

    return lambda a, b: plain if is_number(a) and is_number(b) else None


def _in_place(choose: Callable[..., Any]) -> Callable[..., Any]:
    """Of numbers alone: what is changed in place has other names, too."""
    return lambda a, b: choose(a, b) if is_number(a) and is_number(b) else None


def _elementwise(operation: Callable[..., Any], exact: bool = False) -> Callable[..., Any]:
    """Of numbers; of an array with a number or an array, element by element, as NumPy does.

    Whole numbers that are not `exact` are looked at afterwards.
    """

    def checked(a, b):
        return check_exact(operation(a, b))

    def plain(a, b):
        return operation(a, b)

    def choose(a, b):
        if is_number(a) and is_number(b):
            return checked if is_int(a) and is_int(b) and not exact else plain
        pair = (is_array(a) and (is_number(b) or is_array(b))) or (is_array(b) and is_number(a))
        return plain if pair else None

    return choose


def _multiply(a, b):
    if isinstance(a, types.List) and (is_number(a.dtype) or _is_flag(a.dtype)) and is_int(b):
        return lambda a, b: a * b
    if is_int(a) and is_int(b):
        return lambda a, b: exact_product(a, b)
    return _elementwise(operator.mul)(a, b)


def _negative(a):
    return (lambda a: -a) if is_number(a) or is_array(a) else None


def _power_of_ints(a, b):
    """By multiplication."""
    if b < 0 or b > 64:
        raise OverflowError
    result = 1
    for _ in range(b):
        result = exact_product(result, a)
    return result


def _remainder_of_product(a, b, c, d):
    """`(a * b + c) % d`, as generators of numbers take it: the sum may have 63 bits."""

    def whole(a, b, c, d):
        if abs(float(a) * float(b)) > 1 << 62:
            return remainder(exact_product(a, b) + c, d)
        return (a * b + c) % d

    def plain(a, b, c, d):
        return remainder(plus(times(a, b), c), d)

    remainder, plus, times = WORDS["mod"], WORDS["add"], WORDS["mult"]
    return whole if all(map(is_int, (a, b, c, d))) else plain


_word("mod of product", _remainder_of_product, 4)
_word("usub", _negative)
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    _word(_name, _elementwise(getattr(operator, _name), exact=True), 2)


# Functions that Python's `math` has from the C library.


def _libm(name: str, count: int) -> Any:
    for library in (ctypes.CDLL(None), ctypes.CDLL("libm.so.6")):
        if hasattr(library, name):
            break
    function = getattr(library, name)
    function.argtypes = [ctypes.c_double] * count
    function.restype = ctypes.c_double
    return function


_pow = _libm("pow", 2)
_atan2 = _libm("atan2", 2)


def _shift_left(a, b):
    def plain(a, b):
        if not 0 <= b < 53 or not -EXACT < a < EXACT or abs(a) > EXACT >> b:
            raise OverflowError
        return a << b

    return plain if is_int(a) and is_int(b) else None


def _shift_right(a, b):
    def plain(a, b):
        if not 0 <= b < 53:
            raise OverflowError
        return a >> b

    return plain if is_int(a) and is_int(b) else None


def _bitwise(operation: Callable[..., Any]) -> Callable[..., Any]:
    def plain(a, b):
        return operation(a, b)

    return lambda a, b: plain if is_int(a) and is_int(b) else None


def _power(a, b):
    return _power_of_ints if is_int(a) and is_int(b) else _real_power(a, b)


def _real_power(a, b):
    def real(a, b):
        result = _pow(float(a), float(b))
        if not math.isfinite(result) or (a == 0 and b < 0):
            raise OverflowError
        return result

    return real if is_number(a) and is_number(b) else None


def _angle(a, b):
    def real(a, b):
        if not (math.isfinite(a) and math.isfinite(b)):
            raise OverflowError
        return _atan2(float(a), float(b))

    return real if is_number(a) and is_number(b) else None


def _of_libm(name: str) -> Callable[..., Any]:
    called = _libm(name, 1)

    def real(a):
        result = called(float(a))
        if not math.isfinite(result):
            raise OverflowError
        return result

    return lambda a: real if is_number(a) else None


def _root(a):
    def real(a):
        if not 0 <= a < math.inf:
            raise ValueError
        return math.sqrt(a)

    return real if is_number(a) else None


def _rounded(towards: Callable[[float], int]) -> Callable[..., Any]:
    def real(a):
        if not -EXACT < a < EXACT:
            raise OverflowError
        return int(towards(a))

    return lambda a: (lambda a: a) if is_int(a) else real if is_number(a) else None


for _name, _choose in {
    "add": _elementwise(operator.add),
    "sub": _elementwise(operator.sub),
    "mult": _multiply,
    "div": _elementwise(operator.truediv, exact=True),
    "floordiv": _remainder(operator.floordiv),
    "mod": _remainder(operator.mod),
    "pow": _power,
    "lshift": _shift_left,
    "rshift": _shift_right,
    "bitand": _bitwise(operator.and_),
    "bitor": _bitwise(operator.or_),
    "bitxor": _bitwise(operator.xor),
}.items():
    _word(_name, _choose, 2)
    _word(f"i{_name}", _in_place(_choose), 2)
for _name in (
    "exp",
    "log",
    "log2",
    "log10",
    "sin",
    "cos",
    "tan",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "log1p",
    "expm1",
):
    _word(f"math.{_name}", _of_libm(_name))
_word("math.sqrt", _root)
_word("math.pow", _real_power, 2)
_word("math.atan2", _angle, 2)
_word("math.floor", _rounded(math.floor))
_word("math.ceil", _rounded(math.ceil))
_word("math.fabs", lambda a: (lambda a: abs(float(a))) if is_number(a) else None)
_word("math.isfinite", lambda a: (lambda a: math.isfinite(a)) if is_number(a) else None)
_word("int", _rounded(int))
_word("float", lambda a: (lambda a: float(a)) if is_number(a) else None)
_word("abs", lambda a: (lambda a: abs(a)) if is_number(a) or is_array(a) else None)


# The least, the greatest, the sum.


def _choice(is_better: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """The better of two numbers, the first of equal ones."""

    def plain(a, b):
        return b if is_better(b, a) else a

    return lambda a, b: plain if is_number(a) and is_number(b) else None


def _best_of(is_better: Callable[[Any, Any], Any]) -> tuple[Callable[..., Any], ...]:
    """The best number of a row, its place, and the element of a row whose key in another is best.

    Of equal ones it is the first. NaN is left to Python.
    """

    @register_jitable
    def find(a):
        if len(a) == 0:
            raise ValueError
        best = 0
        for place in range(len(a)):
            if a[place] != a[place]:
                raise ValueError
            if is_better(a[place], a[best]):
                best = place
        return best

    def number(a):
        return a[find(a)]

    def place(a):
        return find(a)

    def element(a, b):
        if len(a) != len(b):
            raise ValueError
        return a[find(b)]

    return (
        lambda a: number if is_row(a) else None,
        lambda a: place if _is_vector(a) else None,
        lambda a, b: element if is_row(a) and is_row(b) else None,
    )


def _sorted_by(a, b):
    """A row in the order of its keys, those of equal keys as they were."""

    def plain(a, b):
        if len(a) != len(b):
            raise ValueError
        values = np.empty(len(b))
        for place in range(len(b)):
            values[place] = b[place]
            if b[place] != b[place]:
                raise ValueError
        return [a[place] for place in np.argsort(values, kind="mergesort")]

    return plain if is_row(a) and is_row(b) else None


def _argsort(is_stable: bool) -> Callable[[Any], Any]:
    """The places of a vector in ascending order.

    NaN is left to Python, and so are equal numbers unless the order is stable.
    """

    def plain(a):
        order = np.argsort(a, kind="mergesort")
        for place in range(len(a)):
            if a[place] != a[place]:
                raise ValueError
            if not is_stable and place and a[order[place]] == a[order[place - 1]]:
                raise ValueError("argsort of equal numbers, which kind='stable' would order")
        return order

    return lambda a: plain if _is_vector(a) else None


def _add_whole(a):
    total = 0
    for value in a:
        total = check_exact(total + value)
    return total


def _sum(a):
    """One after the other, as Python adds; from 3.12 on it adds floats otherwise."""

    def real(a):
        total = 0.0
        for value in a:
            total += value
        return total

    if not is_row(a):
        return None
    return _add_whole if is_int(a.dtype) else real if sys.version_info < (3, 12) else None


@njit(cache=True, error_model="numpy")
def add_pairwise(a):
    """The sum of an array, bit for bit as NumPy adds it up: blocks of eight sums, in pairs."""
    stack = np.empty((64, 3), np.int64)  # first, count and depth of what is still to be added
    sums = np.empty(64)
    depths = np.empty(64, np.int64)
    waiting = 1
    done = 0
    stack[0] = 0, len(a), 0
    while waiting:
        waiting -= 1
        first, count, depth = stack[waiting]
        if count > PAIRWISE:
            half = count // 2
            half -= half % 8
            stack[waiting] = first + half, count - half, depth + 1
            stack[waiting + 1] = first, half, depth + 1
            waiting += 2
            continue
        total = 0.0
        k = 0
        if count >= 8:
            r = np.zeros(8)
            while k < count - count % 8:
                for j in range(8):
                    r[j] += a[first + k + j]
                k += 8
            total = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
        while k < count:
            total += a[first + k]
            k += 1
        while done and depths[done - 1] == depth:
            done -= 1
            total = sums[done] + total
            depth -= 1
        sums[done] = total
        depths[done] = depth
        done += 1
    return sums[0]


def _array_sum(a):
    def real(a):
        return add_pairwise(a)

    if not _is_vector(a):
        return None
    return _add_whole if is_int(a.dtype) else real if a.layout == "C" else None


def _array_mean(a):
    def real(a):
        return add_pairwise(a) / len(a)

    return real if _is_vector(a) and a.layout == "C" and not is_int(a.dtype) else None


def _of_vector(choose: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda a: choose(a) if _is_vector(a) else None


@register_jitable
def _less(a, b):
    return a < b


@register_jitable
def _greater(a, b):
    return a > b


for _name, _better in (("min", _less), ("max", _greater)):
    _number, _place, _element = _best_of(_better)
    _word(_name, _number)
    _word(f".{_name}", _of_vector(_number))
    _word(f".arg{_name}", _place)
    _word(f"{_name}_by", _element, 2)
    _word(f"{_name}2", _choice(_better), 2)
_word("sorted_by", _sorted_by, 2)
_word("numpy.argsort", _argsort(is_stable=False))
_word("numpy.argsort stable", _argsort(is_stable=True))
_word("sum", _sum)
_word(".sum", _array_sum)
_word(".mean", _array_mean)
_word(".tolist", lambda a: (lambda a: [x for x in a]) if _is_vector(a) else None)
_word(".copy", lambda a: (lambda a: a.copy()) if is_array(a) else None)


# Truth, places, changes.


def _truth(a):
    if _is_flag(a):
        return lambda a: a
    if is_number(a):
        return lambda a: a != 0
    return (lambda a: len(a) > 0) if isinstance(a, types.List) else None


def _any(a):
    def plain(a):
        for value in a:  # noqa: SIM110
            if value:
                return True
        return False

    return plain if isinstance(a, types.List) and _is_flag(a.dtype) else None


def _all(a):
    def plain(a):
        for value in a:  # noqa: SIM110
            if not value:
                return False
        return True

    return plain if isinstance(a, types.List) and _is_flag(a.dtype) else None


def _masked(a, b):
    """The elements of an array at the true places of another of its length."""

    def plain(a, b):
        if len(a) != len(b):
            raise IndexError
        return a[b]

    is_mask = isinstance(b, types.Array) and b.ndim == 1
    return plain if _is_vector(a) and is_mask and b.dtype == types.boolean else None


def _array(a):
    """Of a list of numbers of one kind, or an array."""
    if is_array(a) and a.dtype in (types.int64, types.float64):
        return lambda a: a.copy()
    given = isinstance(a, types.List) and is_number(a.dtype)
    return (lambda a: np.array(a)) if given else None


def _arange(a, b, c):
    """From, to and by whole numbers."""

    def plain(a, b, c):
        if c == 0:
            raise ZeroDivisionError
        return np.arange(a, b, c)

    return plain if is_int(a) and is_int(b) and is_int(c) else None


def _is_shape(kind: Any) -> bool:
    return is_int(kind) or (isinstance(kind, types.UniTuple) and is_int(kind.dtype))


def _full(a, b):
    return (lambda a, b: np.full(a, b)) if _is_shape(a) and is_number(b) else None


def _put(a, place, value):
    """Set an element to a value that it can hold without loss."""
    several = isinstance(place, types.List) and is_array(a) and a.ndim == 1
    if several and is_int(place.dtype) and is_number(value) and not is_int(a.dtype):

        def fill(a, place, value):
            for one in place:
                a[one] = value

        return fill
    places = is_int(place) or (isinstance(place, types.UniTuple) and is_int(place.dtype))
    target = (isinstance(a, types.List) and is_number(a.dtype)) or (is_array(a) and a.mutable)

    def plain(a, place, value):
        a[place] = value

    row = isinstance(a, types.List) or (isinstance(a, types.Array) and a.ndim == 1 and a.mutable)
    if row and is_int(place) and _is_flag(a.dtype) and _is_flag(value):
        return plain
    if not (places and target and is_number(value)):
        return None
    return None if is_int(a.dtype) and not is_int(value) else plain


@njit(fastmath={"reassoc"}, cache=True)
def add_products(a, b):
    """The sum of products, added in any order."""
    total = 0.0
    for k in range(len(a)):
        total += a[k] * b[k]
    return total


@register_jitable
def _check_whole(a):
    """Raises ValueError unless all numbers are whole, so that their sums are exact."""
    for value in a:
        if not (-EXACT >> 21 < value < EXACT >> 21 and value == np.floor(value)):
            raise ValueError


def _multiply_vectors(a, b):
    """Of whole numbers, whose products may be added in any order."""

    def vectors(a, b):
        if len(a) != len(b):
            raise ValueError
        _check_whole(a)
        _check_whole(b)
        return add_products(a, b)

    pair = _is_vector(a) and _is_vector(b) and a.layout == b.layout == "C"
    return vectors if pair else None


def _multiply_matrix(a, b):
    """As vectors; also a given table, which holds whole numbers, with a vector of them."""

    def matrix(a, b):
        if a.shape[1] != len(b):
            raise ValueError
        _check_whole(b)
        products = np.empty(len(a))
        for k in range(len(a)):
            products[k] = add_products(a[k], b)
        return products

    is_table = is_array(a) and a.ndim == 2 and a.layout == "C" and not a.mutable
    if is_table and _is_vector(b) and b.layout == "C":
        return matrix
    return _multiply_vectors(a, b)


def _is_in(a, b):
    """Of whole numbers: Python takes a float that is none for one of a tuple that holds it."""

    def plain(a, b):
        found = False
        for one in b:
            found = found or one == a
        return found

    return plain if is_int(a) and is_row(b) and is_int(b.dtype) else None


def _filled(make: Callable[..., Any], kind: Any) -> Callable[..., Any]:
    return lambda a: (lambda a: make(a, kind)) if _is_shape(a) else None


_word("matmult", _multiply_vectors, 2)
_word("matmult of whole tables", _multiply_matrix, 2)
_word("score", lambda a: (lambda a: float(a)) if is_number(a) else None)
_word("action", lambda a: (lambda a: a) if is_int(a) else None)
_word("truth", _truth)
_word("flag", lambda a: (lambda a: a) if _is_flag(a) else None)
_word("whole", lambda a: (lambda a: a) if is_int(a) else None)
_word("in", _is_in, 2)
_word("any", _any)
_word("all", _all)
_word("masked", _masked, 2)
_word("put", _put, 3)
for _name, _make in {"zeros": np.zeros, "ones": np.ones}.items():
    _word(f"numpy.{_name}", _filled(_make, np.float64))
    _word(f"numpy.{_name} of float", _filled(_make, np.float64))
    _word(f"numpy.{_name} of int", _filled(_make, np.int64))
    _word(f"numpy.{_name} of bool", _filled(_make, np.bool_))
_word("numpy.arange", lambda a: (lambda a: np.arange(a)) if is_int(a) else None)
_word(
    "numpy.arange of two",
    lambda a, b: (lambda a, b: np.arange(a, b)) if is_int(a) and is_int(b) else None,
    2,
)
_word("numpy.arange of three", _arange, 3)
_word("numpy.array", _array)
_word("numpy.full", _full, 2)
_word("numpy.maximum", _elementwise(np.maximum, exact=True), 2)
_word("numpy.minimum", _elementwise(np.minimum, exact=True), 2)
_word("numpy.sqrt", _root)
_word(".size", lambda a: (lambda a: a.size) if is_array(a) else None)
_word(".shape", lambda a: (lambda a: a.shape) if is_array(a) else None)


@intrinsic
def read(typing_context, address):
    """The float at an address."""

    def generate(context, builder, signature, arguments):
        kind = context.get_value_type(types.float64).as_pointer()
        return builder.load(builder.inttoptr(arguments[0], kind))

    return types.float64(types.int64), generate


WORDS["read"] = njit(lambda address: read(address))
WORDS["read whole"] = njit(lambda address: int(read(address)))
