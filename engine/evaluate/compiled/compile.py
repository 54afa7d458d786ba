"""The compiled tier: nested loops over numbers in machine code, where that does what Python does.

Which programs are tried is decided by their text (`scalar`) and the size of the instances, never
by a stopwatch. That numba is missing, refuses a program or takes other actions than Python on two
small pilots is a normal outcome: then Python runs the program.
"""

from __future__ import annotations

import ast
import ctypes
import math
import warnings
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from engine.evaluate.compiled.scalar import LIBRARY, library_name, translate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from problems.base import FastRollout, Function

    Solve = Callable[[Any, Sequence[int]], Sequence[int]]
    """From an instance and the actions that are forced at its beginning to all actions."""

PILOTS = 2
"""Small instances on which the compiled program has to take the actions of the plain one."""

EXACT = 2.0**53
"""Up to here floats count, and a power of whole numbers is one."""


@cache
def warm_up() -> None:
    """Load numba and what its first compilation loads, for all children to inherit.

    What fails here fails in the children, too, and they stay with Python.
    """
    with suppress(Exception):
        _compile(lambda: 0)()
        library()


def try_compiled(
    problem: FastRollout, code: str, name: str, plain: Solve, pilots: Sequence[Any]
) -> Solve:
    """A faster way to take the actions of `plain`, or `plain` itself.

    Where the compiled program fails, `plain` solves the instance: it fails there too and says how,
    or the failure was numba's alone.
    """
    try:
        function = compile_program(code, name)
        agrees = all(
            problem.rollout(function, one, None) == plain(one, ()) for one in pilots[:PILOTS]
        )
    except Exception:  # numba has many ways to say no, and a pilot may end in an invalid action
        return plain

    def solve(instance: Any, forced: Sequence[int]) -> Sequence[int]:
        try:
            return problem.rollout(function, instance, None, forced)
        except Exception:
            return plain(instance, forced)

    return solve if agrees else plain


def compile_program(code: str, name: str) -> Function:
    """The function of a program; numba compiles it when it is called first.

    Raises ValueError for a program that is not nested loops over numbers, ImportError.
    """
    import numpy as np

    tree = translate(ast.parse(code))
    if tree is None:
        raise ValueError("not nested loops over numbers")
    namespace: dict[str, Any] = {"__name__": "program"}
    exec(compile(tree, "<program>", "exec", dont_inherit=True), namespace)
    namespace |= library()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            namespace[node.name] = _compile(namespace[node.name])
    function = namespace[name]

    def call(*arguments: object) -> object:
        """Arrays stand for tuples: every length of a tuple would be compiled anew."""
        return function(*[np.array(a, np.int64) if isinstance(a, tuple) else a for a in arguments])

    return call


@cache
def library() -> Mapping[str, Function]:
    """The C functions behind Python's `math` and `**`, by the names of translated programs.

    Numba's own may differ in the last bit: it turns `x ** 2` into `x * x`. Where Python would
    raise, or a power of whole numbers be no exact float, they raise ValueError.
    """
    found = ctypes.CDLL(None)
    return {library_name(name): _bind(found[name], count) for name, count in LIBRARY.items()}


def _bind(function: Any, count: int) -> Function:
    function.argtypes = [ctypes.c_double] * count
    function.restype = ctypes.c_double

    def one(x: float) -> float:
        result: float = function(float(x))
        if not math.isfinite(result):
            raise ValueError
        return result

    def two(x: float, y: float) -> float:
        result: float = function(float(x), float(y))
        if not abs(result) <= EXACT:
            raise ValueError
        return result

    return _compile(one if count == 1 else two)


def _compile(function: Callable[..., object]) -> Function:
    """A function for numba, which is to refuse one that may read a name before it is set.

    And one whose lists would not keep their numbers (`strict`).
    """
    from numba import njit
    from numba.core import config
    from numba.core.errors import NumbaWarning

    from engine.evaluate.compiled.strict import StrictCompiler

    config.ALWAYS_WARN_UNINIT_VAR = 1  # type: ignore[attr-defined]
    warnings.simplefilter("error", NumbaWarning)
    strict = njit(boundscheck=True, error_model="python", pipeline_class=StrictCompiler)
    return strict(function)
