"""The compiled tier: loops over numbers in machine code, where that does what Python does.

Which programs are tried is decided by their text (`source`) and by how much they have to do
(`work`), never by a stopwatch. That numba is missing, refuses a program or takes other actions
than Python on two small pilots is a normal outcome: then Python runs the program.
"""

from __future__ import annotations

import ast
import warnings
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from engine.evaluate.compiled.source.translate import translate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.evaluate.compiled.arguments import Convert
    from problems.base import FastRollout, Function

    Solve = Callable[[Any, Sequence[int]], Sequence[int]]
    """From an instance and the actions that are forced at its beginning to all actions."""

PILOTS = 2
"""Small instances on which the compiled program has to take the actions of the plain one."""


@cache
def warm_up() -> None:
    """Load numba and what its first compilation loads, for all children to inherit.

    What fails here fails in the children, too, and they stay with Python.
    """
    with suppress(Exception):
        from engine.evaluate.compiled import arguments, checks
        from engine.evaluate.compiled.library import library

        library()
        arguments.type_of((0,), ())
        checks.checked(lambda: 0)()


def try_compiled(
    problem: FastRollout,
    code: str,
    name: str,
    plain: Solve,
    pilots: Sequence[Any],
    reads: frozenset[str] | None,
) -> Solve:
    """A faster way to take the actions of `plain`, or `plain` itself.

    `reads` as in `FastRollout.rollout`. Where the compiled program fails, `plain` solves the
    instance: it fails there too and says how, or the failure was numba's alone.
    """
    try:
        function = compile_program(code, name)
        agrees = all(
            problem.rollout(function, one, reads) == plain(one, ()) for one in pilots[:PILOTS]
        )
    except Exception:  # numba has many ways to say no, and a pilot may end in an invalid action
        return plain

    def solve(instance: Any, forced: Sequence[int]) -> Sequence[int]:
        try:
            return problem.rollout(function, instance, reads, forced)
        except Exception:
            return plain(instance, forced)

    return solve if agrees else plain


def compile_program(code: str, name: str) -> Function:
    """The function of a program, compiled when it is called first, for arguments like the first.

    That call raises Unlisted or Unknown for a program that is not made of listed words,
    ImportError where numba is missing, and whatever numba raises.
    """
    compiled: list[tuple[Function, Sequence[Convert | None]]] = []

    def call(*arguments: Any) -> object:
        if not compiled:
            compiled.append(_compile(code, name, arguments))
        function, converters = compiled[0]
        pairs = zip(arguments, converters, strict=True)
        return function(*[one if convert is None else convert(one) for one, convert in pairs])

    return call


def _compile(
    code: str, name: str, arguments: tuple[Any, ...]
) -> tuple[Function, Sequence[Convert | None]]:
    """The compiled function, and what makes its arguments fit."""
    from engine.evaluate.compiled.arguments import converter, type_of
    from engine.evaluate.compiled.checks import PROGRAM, checked
    from engine.evaluate.compiled.library import library

    tree = ast.parse(code)
    named = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    tree = translate(tree, _fields(arguments), name, arguments)
    namespace: dict[str, Any] = {"__name__": PROGRAM}
    exec(compile(tree, "<program>", "exec", dont_inherit=True), namespace)
    namespace |= library()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            namespace[node.name] = checked(namespace[node.name])
    warnings.simplefilter("ignore")  # of numba, on what is slow
    function = namespace[name]
    function.compile(tuple(type_of(argument, named) for argument in arguments))
    function.disable_compile()
    return function, [converter(argument, named) for argument in arguments]


def _fields(value: Any) -> frozenset[str]:
    """The attributes of named tuples, however deep."""
    if not isinstance(value, tuple):
        return frozenset()
    return frozenset(getattr(value, "_fields", ())).union(*map(_fields, value))
