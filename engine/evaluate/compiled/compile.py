"""The compiled tier: loops over numbers in machine code, where that does what Python does.

Which programs are tried is decided by their text (`source`) and by how much they have to do
(`work`), never by a stopwatch. That numba is missing, refuses a program or takes other actions
than Python on two small pilots is a normal outcome: then Python runs the program.
"""

from __future__ import annotations

import ast
import warnings
from contextlib import suppress
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Any

from engine.evaluate.compiled.source.helpers import extract, find_helpers
from engine.evaluate.compiled.source.translate import translate
from engine.evaluate.compiled.source.words import Unlisted

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


def try_faster(
    problem: FastRollout,
    code: str,
    name: str,
    plain: Callable[..., Sequence[int]],
    pilots: Sequence[Any],
    reads: frozenset[str] | None,
) -> Solve:
    """A program compiled, or its helpers with a cache where it has any; else `plain` itself.

    `plain` takes the helpers to install besides.
    """
    helpers = Helpers(code)
    if not helpers.names:
        return try_compiled(problem, code, name, plain, pilots, reads)
    return try_helpers(helpers, partial(plain, helpers=helpers), plain, pilots)


class Helpers:
    """The helpers of a program that keep their results, compiled when they are called first."""

    def __init__(self, code: str) -> None:
        """Nothing is compiled yet."""
        self._functions: dict[str, Function] = {}
        self.names = find_helpers(ast.parse(code))
        for name in self.names:
            with suppress(Unlisted):
                self._functions[name] = compile_part(extract(ast.parse(code), name), name)
        self.working: set[str] = set()

    def install(self, namespace: dict[str, Any]) -> None:
        """Put them into a program that has just been defined; its caches are new, too."""
        for name in self._functions:
            cache_of_python = namespace[name]
            size = cache_of_python.cache_parameters()["maxsize"]
            call = partial(self._call, name, cache_of_python.__wrapped__)
            namespace[name] = lru_cache(size, typed=True)(call)

    def _call(self, name: str, plain: Function, *arguments: Any, **named: Any) -> object:
        """The compiled helper, or Python's where that fails; for good if it never worked."""
        if not named and name in self._functions:
            try:
                result = self._functions[name](*arguments)
            except Exception:  # as in `try_compiled`
                if name not in self.working:
                    del self._functions[name]
            else:
                self.working.add(name)
                from engine.evaluate.compiled.arguments import as_tuples

                return as_tuples(result)
        return plain(*arguments, **named)


def try_helpers(helpers: Helpers, solve: Solve, plain: Solve, pilots: Sequence[Any]) -> Solve:
    """`solve`, where the program has these helpers installed, or `plain` itself.

    It has to take the actions of `plain` on the pilots, and a helper of it to work compiled.
    """
    try:
        agrees = all(solve(one, ()) == plain(one, ()) for one in pilots[:PILOTS])
    except Exception:
        return plain
    return solve if agrees and helpers.working else plain


def compile_program(code: str, name: str) -> Function:
    """The function of a program, compiled when it is called first, for arguments like the first.

    That call raises Unlisted or Unknown for a program that is not made of listed words,
    ImportError where numba is missing, and whatever numba raises.
    """
    return compile_part(ast.parse(code), name)


def compile_part(tree: ast.Module, name: str) -> Function:
    """The same of the part of a program that stands in a syntax tree, which is changed."""
    compiled: list[tuple[Function, Sequence[Convert | None]]] = []

    def call(*arguments: Any) -> object:
        if not compiled:
            compiled.append(_compile(tree, name, arguments))
        function, converters = compiled[0]
        pairs = zip(arguments, converters, strict=True)
        return function(*[one if convert is None else convert(one) for one, convert in pairs])

    return call


def _compile(
    tree: ast.Module, name: str, arguments: tuple[Any, ...]
) -> tuple[Function, Sequence[Convert | None]]:
    """The compiled function, and what makes its arguments fit."""
    from engine.evaluate.compiled.arguments import converter, type_of
    from engine.evaluate.compiled.checks import PROGRAM, checked
    from engine.evaluate.compiled.library import library

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
