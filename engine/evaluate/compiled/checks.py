"""What numba would do in another way than Python, found in the types of a program's variables."""

# mypy: disable-error-code="no-untyped-call"
# (numba has few annotations)

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit, types
from numba.core import ir
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.typed_passes import NopythonTypeInference

from engine.evaluate.compiled.library import OPTIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from problems.base import Function

PROGRAM = "program"
"""The module that a program's functions say they are from."""

NUMBERS = (types.int64, types.float64, types.boolean)

COMPARED = (operator.contains, operator.is_, operator.is_not)
"""Comparisons that do for an array what they do for the tuple that it stands for."""


ARITHMETIC = frozenset({
    "add", "sub", "mul", "truediv", "floordiv", "mod", "iadd", "isub", "imul", "itruediv",
    "ifloordiv", "imod",
})  # fmt: skip
"""Operations that NumPy's truth values do in another way than Python's, or not at all."""

SET_METHODS = ("add", "discard", "remove")
"""What a set does in whatever order it is."""


class Differs(Exception):
    """A compiled program might not do what Python does."""


def checked(function: Callable[..., Any]) -> Function:
    """A function for numba, which raises Differs when it is to compile what it should not."""
    return njit(pipeline_class=_Compiler, **OPTIONS)(function)


class _Compiler(CompilerBase):
    """numba's compiler with our check behind its finding out of types."""

    def define_pipelines(self) -> list[Any]:
        """The passes in their order."""
        builder = DefaultPassBuilder.define_nopython_pipeline(self.state)
        builder.add_pass_after(_CheckedTypes, NopythonTypeInference)
        builder.finalize()
        return [builder]


class _CheckedTypes(AnalysisPass):
    """The check as one of numba's passes."""

    _name = "checked_types"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Changes nothing. Raises Differs."""
        for kind in state.typemap.values():
            _check_kind(kind)
        for block in state.func_ir.blocks.values():
            for statement in block.body:
                _check_statement(statement, state.typemap)
        return False


register_pass(mutates_CFG=False, analysis_only=True)(_CheckedTypes)


def stands_for_tuple(kind: Any) -> bool:
    """Whether a type is that of `arguments.as_array`: read-only, its items not side by side."""
    return isinstance(kind, types.Array) and kind.layout == "A" and not kind.mutable


def _check_kind(kind: Any) -> None:
    """Numbers of 64 bits are Python's; smaller ones, and those without a sign, are not."""
    kind = types.unliteral(kind)
    if isinstance(kind, types.Number) and kind not in NUMBERS:
        raise Differs(f"a number of type {kind}")
    if isinstance(kind, types.Array | types.List):
        _check_kind(kind.dtype)


def _check_statement(statement: Any, kinds: Any) -> None:
    match statement:
        case ir.SetItem(target=target, value=value) | ir.StaticSetItem(target=target, value=value):
            _check_kept(kinds[target.name], kinds[value.name])
        case ir.Assign(value=ir.Expr() as expression):
            _check_expression(expression, kinds)


def _check_kept(owner: Any, value: Any) -> None:
    """An item of a list takes on the list's type, where Python would keep the item's."""
    if not isinstance(owner, types.List):
        return
    item = owner.dtype
    kept = types.unliteral(value)
    is_number = isinstance(kept, types.Number | types.Boolean)
    if isinstance(kept, types.List) and not isinstance(item, types.List):  # into a slice
        _check_kept(owner, kept.dtype)
    elif is_number and isinstance(item, types.Float):
        return
    elif item != kept and (item, kept) != (types.int64, types.boolean):
        raise Differs(f"{kept} kept as {item}")


def _check_expression(expression: Any, kinds: Any) -> None:
    used = [kinds[variable.name] for variable in expression.list_vars()]
    if any(isinstance(kind, types.BaseNamedTuple) for kind in used):
        _check_record(expression, kinds)
    if any(isinstance(kind, types.Set) for kind in used):
        _check_set(expression, kinds)
    match expression.op:
        case "unary":
            is_truth = isinstance(kinds[expression.value.name], types.Boolean)
            if is_truth and expression.fn is not operator.not_:
                raise Differs("arithmetic on a truth value")
        case "binop" | "inplace_binop":
            _check_sides(expression, kinds[expression.lhs.name], kinds[expression.rhs.name])
        case "call":
            _check_call(expression, kinds)


def _check_call(expression: Any, kinds: Any) -> None:
    called = getattr(kinds[expression.func.name], "typing_key", None)
    given = [kinds[argument.name] for argument in expression.args]
    if called is bool and isinstance(given[0], types.Array):
        raise Differs("the truth of an array")
    if called is np.arange and not all(isinstance(kind, types.Integer) for kind in given):
        raise Differs("a range of floats")


def _check_record(expression: Any, kinds: Any) -> None:
    """Of a named tuple some fields are missing: it can be asked for one, or handed on."""
    if expression.op not in ("getattr", "cast") and not _is_own_call(expression, kinds):
        raise Differs("a named tuple as a whole")


def _check_set(expression: Any, kinds: Any) -> None:
    """A set has another order: it can be asked what is in it, and of how many."""
    match expression.op:
        case "getattr" if expression.attr in SET_METHODS:
            return
        case "binop" | "inplace_binop" if expression.fn is operator.contains:
            return
        case "call" if getattr(kinds[expression.func.name], "typing_key", None) is len:
            return
    if expression.op != "cast" and not _is_own_call(expression, kinds):
        raise Differs("the order of a set")


def _is_own_call(expression: Any, kinds: Any) -> bool:
    """Whether one of the program's functions is called, which is checked itself."""
    if expression.op != "call":
        return False
    called = kinds[expression.func.name]
    is_function = isinstance(called, types.Dispatcher)
    return is_function and called.dispatcher.py_func.__module__ == PROGRAM


def _check_sides(expression: Any, left: Any, right: Any) -> None:
    if expression.fn in COMPARED:
        return
    if stands_for_tuple(left) or stands_for_tuple(right):
        raise Differs("arithmetic on a tuple")
    are_truths = isinstance(left, types.Boolean) and isinstance(right, types.Boolean)
    if are_truths and expression.fn.__name__ in ARITHMETIC:
        raise Differs("arithmetic on truth values")
    are_lists = isinstance(left, types.List) and isinstance(right, types.List)
    if expression.op == "inplace_binop" and are_lists and left.dtype != right.dtype:
        raise Differs(f"{right.dtype} kept as {left.dtype}")
