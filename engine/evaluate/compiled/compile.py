"""The rule of a program in machine code, where that does what Python does.

    function = compile_rule(code, contract, kernel)   # None: Python runs it
    actions = kernel.walk(function, instance)

That a text is left to Python (`text.py`), that numba is missing or refuses it, and that it takes
other actions than Python on instances of the set (`evaluate.rollout`) is a normal outcome.
"""

from __future__ import annotations

import ast
import copy
import inspect
import sys
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.domain.program import parse_code
from engine.evaluate.compiled.text import rewrite, word_name
from problems.base import Contract, Kernel, Problem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@cache
def load_numba() -> None:
    """Load numba and what its first compilation loads: a child may not open libraries."""
    with suppress(Exception):
        from numba import njit

        njit(lambda: 0)()  # type: ignore[call-arg]


def warm_up(problem: Problem) -> None:
    """Load numba, the words and the walk, for all children to inherit.

    What fails here fails in the children, too, and they stay with Python.
    """
    if f"{__package__}.words" in sys.modules or not problem.compiles:
        return
    with suppress(Exception):
        kernel = _load_kernel(problem)
        _compile_words()
        compile_rule(problem.seeds()[0].code or "", problem.contract, kernel)


def _load_kernel(problem: Problem) -> Kernel:
    """The walk of a problem. Raises ImportError where numba is missing.

    What numba kept of an older version may name classes that have moved since; it is removed.
    """
    try:
        return problem.kernel()
    except (ImportError, AttributeError):
        folder = Path(inspect.getfile(type(problem))).parent / "__pycache__"
        kept = [*folder.glob("*.nbi")]
        if not kept:
            raise
        for file in kept:
            file.unlink(missing_ok=True)
        return problem.kernel()


def compile_rule(code: str, contract: Contract, kernel: Kernel) -> Any:
    """The function of a program for the walk of a problem.

    Raises Unlisted for what is left to Python, ImportError where numba is missing, and whatever
    numba raises.
    """
    tree, names = rewrite(code, contract)
    return _compile(tree, names, _find_others(code), contract, kernel)


class Variants:
    """Programs that differ in numbers alone, compiled once: `choose` says which is walked next."""

    def __init__(self, codes: Sequence[str], contract: Contract, kernel: Kernel) -> None:
        """Raises as `compile_rule`, and ValueError for programs that differ in more."""
        import numpy as np

        self._contract = contract
        trees = [_inline(code, contract) for code in codes]
        self._first = trees[0]
        self._places = _find_differing(trees)
        self._values = self._read(trees)
        self._buffer = np.zeros(max(1, len(self._places)))
        names = rewrite(codes[0], contract)[1]
        tree = _Reader(self._places, self._buffer.ctypes.data).replace(copy.deepcopy(trees[0]))
        self.function = _compile(tree, names, _find_others(codes[0]), contract, kernel)

    def load(self, codes: Sequence[str]) -> bool:
        """Take over other programs; False if they differ from the first in other numbers, too."""
        trees = [_inline(code, self._contract) for code in codes]
        try:
            other = _find_differing([self._first, *trees])
            values = self._read([self._first, *trees])
        except ValueError:
            return False
        if {*other} - {*self._places}:
            return False
        self._values = values[1:]
        return True

    def choose(self, number: int) -> None:
        """Have the function be that of a program, by its place among them."""
        self._buffer[: self._values.shape[1]] = self._values[number]

    def _read(self, trees: Sequence[ast.Module]) -> NDArray[np.float64]:
        """The numbers of each tree at our places. Raises ValueError for several types of them."""
        import numpy as np

        rows = [[node.value for node in _pick(tree, self._places)] for tree in trees]
        if any({*map(type, column)} not in ({int}, {float}) for column in zip(*rows, strict=True)):
            raise ValueError("programs that differ in more than numbers")
        return np.array(rows, float).reshape(len(trees), -1)


def _inline(code: str, contract: Contract) -> ast.Module:
    """A program in words, its constants written out. Raises Unlisted."""
    tree: ast.Module = _Inliner(_find_others(code)).visit(rewrite(code, contract)[0])
    return tree


class _Inliner(ast.NodeTransformer):
    """Replaces the names of constants by their numbers, or tuples of numbers."""

    def __init__(self, constants: Mapping[str, Any]) -> None:
        self.constants = constants

    def visit_Name(self, node: ast.Name) -> ast.expr:
        match self.constants.get(node.id):
            case int() | float() as number:
                return ast.copy_location(ast.Constant(number), node)
            case tuple() as numbers:
                parts: list[ast.expr] = [ast.Constant(number) for number in numbers]
                written = ast.Tuple(parts, ast.Load())
                return ast.fix_missing_locations(ast.copy_location(written, node))
        return node


class _Reader(ast.NodeTransformer):
    """Replaces some numbers, by their places in `ast.walk`, by what is read from memory."""

    def __init__(self, places: Sequence[int], address: int) -> None:
        self.places = places
        self.address = address
        self.numbers: dict[int, int] = {}

    def replace(self, tree: ast.Module) -> ast.Module:
        """The tree itself, changed."""
        self.numbers = {id(node): k for k, node in enumerate(_pick(tree, self.places))}
        changed: ast.Module = self.visit(tree)
        return changed

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if id(node) not in self.numbers:
            return node
        reader = word_name("read whole" if isinstance(node.value, int) else "read")
        where = ast.Constant(self.address + 8 * self.numbers[id(node)])
        call = ast.Call(ast.Name(reader, ast.Load()), [where], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))


def _pick(tree: ast.Module, places: Sequence[int]) -> list[ast.Constant]:
    nodes = [*ast.walk(tree)]
    return [nodes[place] for place in places]  # type: ignore[misc]


def _find_differing(trees: Sequence[ast.Module]) -> list[int]:
    """The places in `ast.walk` of numbers in which trees differ.

    Raises ValueError where they differ in more.
    """
    found = []
    for place, nodes in enumerate(zip(*map(ast.walk, trees), strict=True)):
        first = nodes[0]
        if any(type(node) is not type(first) for node in nodes):
            raise ValueError("programs of several forms")
        if isinstance(first, ast.Constant) and any(node.value != first.value for node in nodes):
            found.append(place)
        elif any(_own_fields(node) != _own_fields(first) for node in nodes):
            raise ValueError("programs with several names")
    return found


def _own_fields(node: ast.AST) -> list[object]:
    """What a node holds besides other nodes; numbers aside."""
    if isinstance(node, ast.Constant):
        return []
    return [value for _, value in ast.iter_fields(node) if isinstance(value, str | int)]


def _compile(
    tree: ast.Module,
    names: Sequence[str],
    others: Mapping[str, Any],
    contract: Contract,
    kernel: Kernel,
) -> Any:
    """The contract's function of a program in words, with `others` that stand next to it."""
    from numba import njit

    from engine.evaluate.compiled.words import OPTIONS, WORDS

    namespace = {word_name(name): word for name, word in WORDS.items()} | {**others}
    if kernel.whole:
        namespace[word_name("matmult")] = WORDS["matmult of whole tables"]
    exec(compile(tree, "<rule>", "exec"), namespace)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            signature = [kernel.signature] if name == contract.function else []
            namespace[name] = njit(*signature, **OPTIONS)(namespace[name])
    return namespace[contract.function]


def _compile_words() -> None:
    """Compile the common words for numbers of both kinds, for what is compiled later.

    Sums are kept in files, which a child may not write.
    """
    import numpy as np
    from numba import njit

    from engine.evaluate.compiled.words import OPTIONS, WORDS, add_pairwise, add_products

    vectors = np.zeros(8), np.frombuffer(bytes(64))
    for a in vectors:
        add_pairwise(a)
        for b in vectors:
            add_products(a, b)

    names = ("add", "sub", "mult", "div", "iadd", "lt", "le", "gt", "ge", "eq", "min2", "max2")
    pairs = ("(k, k)", "(k, x)", "(x, k)", "(x, x)")
    calls = [f"    {word_name(name)}{pair}" for name in names for pair in pairs]
    namespace: dict[str, Any] = {word_name(name): WORDS[name] for name in names}
    exec("\n".join(["def use(k, x):", *calls]), namespace)
    njit("void(int64, float64)", **OPTIONS)(namespace["use"])


def _find_others(code: str) -> dict[str, Any]:
    """What stands outside functions, by name: imported modules and constants."""
    body = [node for node in parse_code(code).body if not isinstance(node, ast.FunctionDef)]
    namespace: dict[str, Any] = {}
    exec(compile(ast.Module(body, []), "<rule>", "exec"), namespace)
    del namespace["__builtins__"]
    return namespace
