"""Program text: normalised, hashed, compared by its syntax."""

from __future__ import annotations

import ast
import hashlib
import threading
import warnings
from functools import lru_cache
from typing import TypeGuard

from engine.domain.values import Program

_ONE_AT_A_TIME = threading.Lock()
"""Filters of warnings are those of all threads; so is the depth that CPython 3.11 counts while it
makes a syntax tree: where two threads do, one fails with SystemError."""


def normalise(code: str) -> str:
    """The code without comments, docstrings and layout: equal programs become equal text.

    Raises SyntaxError when it does not compile.
    """
    tree = parse_code(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
            _drop_docstring(node)
    return ast.unparse(tree)


def make_program(idea: str, code: str) -> Program:
    """A program from known-good code. Raises SyntaxError when it does not compile."""
    digest = hashlib.sha256(normalise(code).encode()).hexdigest()
    return Program(idea.strip(), code.strip() + "\n", digest)


def parse_code(code: str) -> ast.Module:
    """The syntax tree, without warnings. Raises SyntaxError, ValueError, RecursionError."""
    with _ONE_AT_A_TIME, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes in a reply are the reply's business
        return ast.parse(code)


def syntax_match(code: str, other: str) -> float:
    """The share of a program's syntax that occurs in another, from 0 to 1; names do not count.

    The syntax match of CodeBLEU: over all nodes with others under them. Raises as `parse_code`.
    """
    shapes = _list_shapes(code)
    known = frozenset(_list_shapes(other))
    return sum(shape in known for shape in shapes) / len(shapes) if shapes else 1.0


@lru_cache(maxsize=1024)
def _list_shapes(code: str) -> tuple[str, ...]:
    """The kinds of nodes under each node that has any, nested, without names and numbers."""
    shapes: dict[ast.AST, str] = {}
    found = []
    for node in reversed([*ast.walk(parse_code(code))]):
        under = [n for n in ast.iter_child_nodes(node) if not isinstance(n, ast.expr_context)]
        shapes[node] = f"{type(node).__name__}({' '.join(shapes[child] for child in under)})"
        if under:
            found.append(shapes[node])
    return tuple(found)


DEEP = 3
"""Loops inside each other from which on a program goes beyond its next step.

One over the candidates, and one over what each of them can be compared with, weigh a step.
"""


@lru_cache(maxsize=1024)
def plans(code: str) -> bool:
    """Whether a program computes more than its next step: by its text, the same everywhere.

    It does where it has a `while` loop, or loops three deep, those of the helpers that it calls
    counted, or where it keeps what a helper returned: what serves many steps is no rule of one.
    Any other plan of whole arrays at once (NumPy) is not told from a rule. False for what does
    not compile.
    """
    try:
        tree = parse_code(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    if any(isinstance(node, ast.While) for node in ast.walk(tree)) or keeps_results(code):
        return True
    own, calls = _measure_loops(tree)
    depths = dict(own)
    for _ in range(DEEP * len(depths)):
        longer = {
            name: max([own[name], *(under + depths.get(other, 0) for other, under in calls[name])])
            for name in depths
        }
        longer = {name: min(depth, DEEP) for name, depth in longer.items()}
        if longer == depths:
            break
        depths = longer
    return max(depths.values(), default=0) >= DEEP


CACHES = frozenset({"cache", "lru_cache"})
"""What functools keeps results with."""


@lru_cache(maxsize=1024)
def keeps_results(code: str) -> bool:
    """Whether a program keeps what a helper returned from call to call, by functools.

    By its text; False for what does not compile.
    """
    try:
        nodes = list(ast.walk(parse_code(code)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    named = {a.name for n in nodes if _is_from_functools(n) for a in n.names}
    used = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return not CACHES.isdisjoint(named | used)


def _is_from_functools(node: ast.AST) -> TypeGuard[ast.ImportFrom]:
    return isinstance(node, ast.ImportFrom) and node.module == "functools"


def _measure_loops(
    tree: ast.Module,
) -> tuple[dict[str, int], dict[str, list[tuple[str, int]]]]:
    """By function its loops inside each other, and whom it calls under how many of them."""
    own: dict[str, int] = {"": 0}
    calls: dict[str, list[tuple[str, int]]] = {"": []}
    left: list[tuple[ast.AST, str, int]] = [(tree, "", 0)]
    while left:
        node, inside, depth = left.pop()
        if isinstance(node, ast.FunctionDef):
            inside = node.name
            depth = 0
            own.setdefault(inside, 0)
            calls.setdefault(inside, [])
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            calls[inside].append((node.func.id, depth))
        children = list(ast.iter_child_nodes(node))
        depth += sum(isinstance(child, ast.comprehension) for child in children)
        depth += isinstance(node, ast.For)
        own[inside] = max(own[inside], depth)
        left.extend((child, inside, depth) for child in children)
    return own, calls


def _drop_docstring(node: ast.FunctionDef | ast.ClassDef | ast.Module) -> None:
    first = node.body[0] if node.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        node.body = node.body[1:] or [ast.Pass()]
