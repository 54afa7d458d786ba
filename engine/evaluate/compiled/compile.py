"""The rule of a program in machine code, where that does what Python does.

    function = compile_rule(code, contract, kernel)   # None: Python runs it
    actions = kernel.walk(function, instance)

That a text is left to Python (`text.py`), that numba is missing or refuses it, and that it takes
other actions than Python on instances of the set (`evaluate.rollout`) is a normal outcome.
"""

from __future__ import annotations

import ast
import sys
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from engine.evaluate.compiled.text import rewrite, word_name
from problems.base import Compilable

if TYPE_CHECKING:
    from problems.base import Contract, Kernel, Problem


def warm_up(problem: Problem) -> None:
    """Load numba, the words and the walk, for all children to inherit.

    What fails here fails in the children, too, and they stay with Python.
    """
    if f"{__package__}.words" in sys.modules:
        return
    with suppress(Exception):
        if isinstance(problem, Compilable):
            kernel = problem.kernel()
            _compile_words()
            compile_rule(problem.seeds()[0].code or "", problem.contract, kernel)


def compile_rule(code: str, contract: Contract, kernel: Kernel) -> Any:
    """The function of a program for the walk of a problem.

    Raises Unlisted for what is left to Python, ImportError where numba is missing, and whatever
    numba raises.
    """
    from numba import njit

    from engine.evaluate.compiled.words import OPTIONS, WORDS

    tree, names = rewrite(code, contract)
    namespace: dict[str, Any] = {word_name(name): word for name, word in WORDS.items()}
    if kernel.whole:
        namespace[word_name("matmult")] = WORDS["matmult of whole tables"]
    _define_others(code, namespace)
    exec(compile(tree, "<rule>", "exec"), namespace)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            signature = [kernel.signature] if name == contract.function else []
            namespace[name] = njit(*signature, **OPTIONS)(namespace[name])
    return namespace[contract.function]


def _compile_words() -> None:
    """Compile the common words for numbers of both kinds, for what is compiled later."""
    from numba import njit

    from engine.evaluate.compiled.words import OPTIONS, WORDS

    names = ("add", "sub", "mult", "div", "iadd", "lt", "le", "gt", "ge", "eq", "min2", "max2")
    pairs = ("(k, k)", "(k, x)", "(x, k)", "(x, x)")
    calls = [f"    {word_name(name)}{pair}" for name in names for pair in pairs]
    namespace: dict[str, Any] = {word_name(name): WORDS[name] for name in names}
    exec("\n".join(["def use(k, x):", *calls]), namespace)
    njit("void(int64, float64)", **OPTIONS)(namespace["use"])


def _define_others(code: str, namespace: dict[str, Any]) -> None:
    """Carry out what stands outside functions: imports of modules and constants."""
    body = ast.parse(code).body
    others = [node for node in body if not isinstance(node, ast.FunctionDef)]
    exec(compile(ast.Module(others, []), "<rule>", "exec"), namespace)
