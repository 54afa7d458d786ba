"""The gate: a check of a program's text, in milliseconds, before any of it runs.

It is there for meaning more than for safety (the sandbox is for that): a program has to be a
function of its arguments, read only what the contract offers, and define what it asks for.
"""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.domain.values import Failure
from engine.evaluate.compiled.scalar import translate
from engine.evaluate.gate import purity
from engine.evaluate.gate.reads import count_bindings, find_reads, parameter_names
from engine.evaluate.gate.refusal import Refusal

if TYPE_CHECKING:
    from problems.base import Contract

LARGEST = 65_536
"""Characters of the longest program."""

MOST_NODES = 30_000
"""Nodes of the largest syntax tree; a program of `LARGEST` characters has about 20,000."""

DEEPEST = 120
"""Levels of the deepest syntax tree, so that every check takes time in proportion to the text."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """What the gate found out about a program that it lets pass.

    `reads` are the dotted names that it reads on its arguments, `state.makespan`, in the
    contract's words; None when that is unclear, and then nothing may be assumed. `is_scalar` says
    that it is nothing but nested loops over numbers, so that it may be compiled.
    """

    reads: frozenset[str] | None
    is_scalar: bool = False


def inspect(code: str, contract: Contract) -> Inspection | Failure:
    """Let a program pass or say what is wrong with it, and in which line."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the program's text: `"\\d"`
            return _inspect(code, contract)
    except Refusal as refusal:
        return refusal.failure
    except RecursionError:
        return Failure("parse", "the program is nested too deeply")


def _inspect(code: str, contract: Contract) -> Inspection:
    tree, outside = _parse(code)
    function = _function(tree, contract)
    purity.check(tree, outside)
    _check_inputs(function, contract)
    return Inspection(find_reads(function, contract), translate(tree) is not None)


def _parse(code: str) -> tuple[ast.Module, frozenset[str]]:
    """The syntax tree, and the names that are not the program's own."""
    if len(code) > LARGEST:
        raise Refusal("parse", f"the program has over {LARGEST} characters")
    try:
        tree = ast.parse(code)
        _check_size(tree)
        return tree, purity.outside_names(code)
    except SyntaxError as error:
        raise Refusal("parse", error.msg, error.lineno, repairable=True) from error
    except (ValueError, MemoryError) as error:  # null characters; too deep for the parser's stack
        raise Refusal("parse", str(error) or "the program is nested too deeply") from error


def _check_size(tree: ast.Module) -> None:
    """Refuse a tree that later checks could not go through quickly."""
    level: list[ast.AST] = [tree]
    nodes = 0
    for _ in range(DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        nodes += len(level)
        if nodes > MOST_NODES:
            raise Refusal("parse", f"the program has over {MOST_NODES} parts; write a shorter one")
        if not level:
            return
    raise Refusal("parse", f"the program is nested over {DEEPEST} levels deep")


def _function(tree: ast.Module, contract: Contract) -> ast.FunctionDef:
    """The contract's function; the last definition counts, as in Python."""
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    named = [node for node in functions if node.name == contract.function]
    others = [node for node in tree.body if not isinstance(node, ast.FunctionDef)]
    if not named or count_bindings(others)[contract.function]:
        message = f"define `{contract.signature()}` with def, once"
        raise Refusal("signature", message, repairable=True)
    if not _fits(named[-1], len(contract.arguments)):
        message = f"the parameters must be those of `{contract.signature()}`"
        raise Refusal("signature", message, named[-1].lineno, repairable=True)
    return named[-1]


def _fits(function: ast.FunctionDef, count: int) -> bool:
    """True when it can be called with `count` positional arguments; more may have defaults."""
    most = len(parameter_names(function))
    least = most - len(function.args.defaults)
    closed = function.args.vararg is None and None not in function.args.kw_defaults
    return closed and least <= count <= most


def _check_inputs(function: ast.FunctionDef, contract: Contract) -> None:
    """No item of an argument may be set; the argument may be rebound to a copy first."""
    inputs = set(parameter_names(function)) - count_bindings(function.body).keys()
    for node in ast.walk(function):
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            root: ast.expr = node
            while isinstance(root, ast.Subscript | ast.Attribute):
                root = root.value
            if isinstance(root, ast.Name) and root.id in inputs:
                message = f"changes its input `{root.id}`; work on a copy"
                raise Refusal("nondeterministic", message, node.lineno)
