"""Whole numbers of 64 bits that never become other numbers: too large ones are an error.

To import this module teaches numba, for the whole process, to raise OverflowError where a sum, a
difference, a product or a shift does not fit, and where a number becomes a float or an int that
cannot hold it. Python then solves the instance.
"""

# mypy: disable-error-code="no-untyped-call"
# (numba has few annotations)

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import lower_builtin, lower_cast

if TYPE_CHECKING:
    from collections.abc import Callable

LEAST = -(2**63)
"""The number that has no opposite; no operation returns it."""

EXACT = 2**53
"""Up to here every whole number is a float."""

BITS = 62
"""By so many places a number can be shifted."""


def _raise_if(context: Any, builder: Any, is_wrong: Any) -> None:
    with builder.if_then(is_wrong, likely=False):
        context.call_conv.return_user_exc(builder, OverflowError, ("beyond 64 bits",))


def _lower_checked(operation: str) -> Callable[..., Any]:
    """Machine code for an operation on two numbers, which tells whether its result fits."""

    def lower(context: Any, builder: Any, signature: Any, numbers: Any) -> Any:
        pair = getattr(builder, operation)(*numbers)
        result = builder.extract_value(pair, 0)
        is_least = builder.icmp_signed("==", result, ir.Constant(result.type, LEAST))
        is_wrong = builder.or_(builder.extract_value(pair, 1), is_least)
        _raise_if(context, builder, is_wrong)
        return result

    return lower


def _lower_left_shift(context: Any, builder: Any, signature: Any, numbers: Any) -> Any:
    number, places = numbers
    _check_places(context, builder, places)
    result = builder.shl(number, places)
    is_wrong = builder.icmp_signed("!=", builder.ashr(result, places), number)
    _raise_if(context, builder, is_wrong)
    return result


def _lower_right_shift(context: Any, builder: Any, signature: Any, numbers: Any) -> Any:
    number, places = numbers
    _check_places(context, builder, places)
    return builder.ashr(number, places)


def _check_places(context: Any, builder: Any, places: Any) -> None:
    most = ir.Constant(places.type, BITS)
    _raise_if(context, builder, builder.icmp_unsigned(">", places, most))


def _lower_to_float(context: Any, builder: Any, source: Any, target: Any, number: Any) -> Any:
    shifted = builder.add(number, ir.Constant(number.type, EXACT))
    most = ir.Constant(number.type, 2 * EXACT)
    _raise_if(context, builder, builder.icmp_unsigned(">", shifted, most))
    return builder.sitofp(number, context.get_value_type(target))


def _lower_to_whole(context: Any, builder: Any, source: Any, target: Any, number: Any) -> Any:
    high = builder.fcmp_ordered("<=", number, ir.Constant(number.type, float(EXACT)))
    low = builder.fcmp_ordered(">=", number, ir.Constant(number.type, -float(EXACT)))
    _raise_if(context, builder, builder.not_(builder.and_(high, low)))
    return builder.fptosi(number, context.get_value_type(target))


def _register() -> None:
    pair = (types.int64, types.int64)
    for operation, operators in {
        "sadd_with_overflow": (operator.add, operator.iadd),
        "ssub_with_overflow": (operator.sub, operator.isub),
        "smul_with_overflow": (operator.mul, operator.imul),
    }.items():
        for one in operators:
            lower_builtin(one, *pair)(_lower_checked(operation))
    for one in (operator.lshift, operator.ilshift):
        lower_builtin(one, *pair)(_lower_left_shift)
    for one in (operator.rshift, operator.irshift):
        lower_builtin(one, *pair)(_lower_right_shift)
    lower_cast(types.int64, types.float64)(_lower_to_float)
    lower_cast(types.float64, types.int64)(_lower_to_whole)


_register()
