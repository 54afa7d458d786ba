"""The words of Python and NumPy that a compiled program may use; all others are left to Python.

Listed is what means the same when it is compiled, as numba has it or as our `library` does.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Unlisted(Exception):
    """A program does something that is not compiled; the message says what, `line` where."""

    def __init__(self, what: str, line: int | None = None) -> None:
        super().__init__(what)
        self.line = line


SYNTAX = (
    ast.For, ast.While, ast.If, ast.Break, ast.Continue, ast.Pass, ast.Return, ast.Delete,
    ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr,
    ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Call, ast.Tuple,
    ast.List, ast.Set, ast.ListComp, ast.comprehension, ast.keyword,
    ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp,
    ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context,
)  # fmt: skip
"""The syntax of numbers, lists of numbers, and loops."""

BUILTINS = frozenset({"abs", "bool", "enumerate", "float", "len", "range", "set", "zip"})
"""Builtin functions that numba has as Python has them."""

OURS = frozenset({
    "above_diagonal", "arrayed", "as_floats", "ascending", "ascending_by", "backwards",
    "bool_array", "crossed", "distinct_places", "divided", "every", "exact_product", "first",
    "first_or", "float_array", "frozen", "int_array", "known", "largest", "largest_by",
    "largest_or", "listed", "mean", "nested_list", "no_items", "pairwise", "picked", "places",
    "plain",
    "power", "rounded", "rounded_down", "rounded_up", "smallest",
    "smallest_by", "smallest_or", "some", "sort", "sort_by", "total", "whole",
})  # fmt: skip
"""Functions of `library`."""

STANDINS = {
    "all": "every", "any": "some", "divmod": "divided", "int": "whole", "list": "listed",
    "max": "largest", "min": "smallest", "next": "first", "reversed": "backwards",
    "round": "rounded", "sorted": "ascending", "sum": "total", "tuple": "frozen",
}  # fmt: skip
"""What stands for a builtin function."""

C_FUNCTIONS = {
    "atan": 1, "cos": 1, "exp": 1, "expm1": 1, "log": 1, "log10": 1, "log1p": 1, "log2": 1,
    "sin": 1, "sqrt": 1, "tan": 1, "tanh": 1, "atan2": 2, "pow": 2,
}  # fmt: skip
"""Functions of `math` that Python takes from the C library, and how many numbers each takes."""

CONSTANTS = frozenset({"inf", "pi", "e"})
"""Of `math` and of NumPy."""

NUMPY = frozenset({
    "abs", "absolute", "all", "any", "arange", "argmax", "argmin", "ceil", "clip", "concatenate",
    "count_nonzero", "cumsum", "delete", "diff", "flatnonzero", "floor", "full", "isin", "isinf",
    "isnan", "maximum", "minimum", "nonzero", "ones", "outer", "repeat", "sign", "sqrt", "unique",
    "where", "zeros",
})  # fmt: skip
"""Functions of NumPy that round nothing, or as NumPy does."""

OUR_NUMPY = {
    "argsort": "places", "array": "arrayed", "asarray": "arrayed", "dot": "exact_product",
    "ix_": "crossed", "mean": "mean", "sort": "ascending", "sum": "pairwise",
    "triu_indices": "above_diagonal",
}  # fmt: skip
"""Functions of NumPy that `library` has."""

NOUNS: Mapping[type[ast.AST], str] = {
    ast.Assert: "assert", ast.AsyncFunctionDef: "async", ast.Await: "await",
    ast.ClassDef: "a class", ast.Dict: "a dict", ast.DictComp: "a dict",
    ast.FormattedValue: "text", ast.FunctionDef: "a function inside a function",
    ast.GeneratorExp: "a generator", ast.Global: "global", ast.Import: "an import",
    ast.ImportFrom: "an import", ast.JoinedStr: "text", ast.Lambda: "a lambda as a value",
    ast.Match: "match", ast.MatMult: "@=", ast.NamedExpr: ":=", ast.Nonlocal: "nonlocal",
    ast.Raise: "raise", ast.SetComp: "a set comprehension", ast.Starred: "* of a list",
    ast.Try: "try", ast.TypeIgnore: "a comment", ast.With: "with", ast.Yield: "yield",
}  # fmt: skip
"""What programs call the syntax that is not compiled."""

TYPES = {
    "int": "int64", "float": "float64", "bool": "bool_",
    "int64": "int64", "float64": "float64", "bool_": "bool_", "int_": "int64",
}  # fmt: skip
"""Types of an array's items, by the words for them, and their names in NumPy."""

METHODS = frozenset({
    "add", "all", "any", "append", "argmax", "argmin", "astype", "clear", "copy", "count",
    "cumsum", "discard", "extend", "fill", "flatten", "index", "insert", "max", "min", "nonzero",
    "pop", "ravel", "remove", "reshape", "reverse",
})  # fmt: skip
"""Methods of lists, sets and arrays that numba has as Python has them."""

MODULES = frozenset({"math", "np", "numpy"})
"""Names under which modules are imported."""


def c_name(function: str) -> str:
    """The global name of a function of `math` in a translated program; none can use it itself."""
    return f"math.{function}"


def ours(function: str, *arguments: ast.expr) -> ast.Call:
    """A call of a function of `library`."""
    return ast.Call(ast.Name(our_name(function), ast.Load()), [*arguments], [])


def our_name(function: str) -> str:
    """The global name of a function of `library` in a translated program."""
    return f"our.{function}"
