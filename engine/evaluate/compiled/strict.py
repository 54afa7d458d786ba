"""Numba's compiler, stricter: it refuses a program whose lists would not keep their numbers.

A list has one kind of numbers there, known from how it is made: a float that is put in a list of
whole numbers would be cut off without a word, where Python keeps it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numba.core import ir, types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.errors import TypingError
from numba.core.typed_passes import NopythonTypeInference

if TYPE_CHECKING:
    from collections.abc import Mapping

KINDS = (types.Boolean, types.Integer, types.Float)
"""Kinds of numbers, each wider than those before it."""


@register_pass(mutates_CFG=False, analysis_only=True)  # type: ignore[no-untyped-call]
class RefuseNarrowing(AnalysisPass):
    """Raises TypingError where a list is given a number of a wider kind than it holds."""

    _name = "refuse_narrowing"

    def __init__(self) -> None:
        """Nothing is kept between functions."""

    def run_pass(self, state: Any) -> bool:
        """Look at one function, whose names have their types by now; it stays as it is."""
        for block in state.func_ir.blocks.values():
            for statement in block.body:
                _check(statement, state.typemap)
        return False


class StrictCompiler(CompilerBase):
    """The compiler to be given to `numba.njit` as its `pipeline_class`."""

    def define_pipelines(self) -> list[Any]:
        """Numba's own passes, and ours once types are inferred."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)  # type: ignore[no-untyped-call]
        passes.add_pass_after(RefuseNarrowing, NopythonTypeInference)
        passes.finalize()
        return [passes]


def _check(statement: Any, kinds: Mapping[str, Any]) -> None:
    match statement:
        case ir.SetItem() | ir.StaticSetItem():
            _check_list(kinds[statement.target.name], kinds[statement.value.name])
        case ir.Assign(value=ir.Expr(op="inplace_binop") as added):
            given = kinds[added.rhs.name]
            if isinstance(given, types.List):
                _check_list(kinds[added.lhs.name], given.dtype)


def _check_list(kept: Any, given: Any) -> None:
    if isinstance(kept, types.List) and _width(given) > _width(kept.dtype) >= 0:
        raise TypingError(f"a list of {kept.dtype} cannot keep {given}")


def _width(kind: Any) -> int:
    """The place among `KINDS`, -1 for what is no number."""
    return next((place for place, one in enumerate(KINDS) if isinstance(kind, one)), -1)
