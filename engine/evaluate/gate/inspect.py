"""The gate: a check of a program's text, in milliseconds, before any of it runs.

It is there for meaning more than for safety (the sandbox is for that): a program has to be a
function of its arguments, read only what the contract offers, and define what it asks for.
"""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.domain.program import parse_code
from engine.domain.values import Failure
from engine.evaluate.compiled.text import find_obstacle
from engine.evaluate.gate import definitions, purity
from engine.evaluate.gate.names import find_names
from engine.evaluate.gate.reads import count_bindings, find_reads, parameter_names
from engine.evaluate.gate.refusal import Refusal
from engine.evaluate.texts import makes_text

if TYPE_CHECKING:
    from engine.evaluate.gate.names import Names
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
    contract's words; None when that is unclear, and then nothing may be assumed. `makes_text` says
    that the proof has to look at what it makes text of. `obstacle` is what keeps a rule from being
    compiled, empty where nothing in its text does.
    """

    reads: frozenset[str] | None
    makes_text: bool = False
    obstacle: str = ""


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
    tree, names = _parse(code)
    function = _function(tree, contract)
    reads = find_reads(function, contract)
    definitions.check_module(tree, names)
    purity.check(tree, names, _fields(contract), contract.whole)
    _check_inputs(function)
    return Inspection(reads, makes_text(tree), find_obstacle(code, contract))


def _fields(contract: Contract) -> set[str]:
    """The attributes that the contract offers."""
    fields = [field.name for argument in contract.arguments for field in argument.fields]
    return {part for name in fields for part in name.split(".")}


def _parse(code: str) -> tuple[ast.Module, Names]:
    """The syntax tree, and what its names stand for."""
    if len(code) > LARGEST:
        raise Refusal("parse", f"the program has over {LARGEST} characters")
    try:
        tree = parse_code(code)
        _check_size(tree)
        return tree, find_names(tree, code)
    except SyntaxError as error:
        raise Refusal("parse", error.msg, error.lineno) from error
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
        raise Refusal("signature", message)
    if not _fits(named[-1], len(contract.arguments)):
        message = f"the parameters must be those of `{contract.signature()}`"
        raise Refusal("signature", message, named[-1].lineno)
    return named[-1]


def _fits(function: ast.FunctionDef, count: int) -> bool:
    """True when it can be called with `count` positional arguments; more may have defaults."""
    most = len(parameter_names(function))
    least = most - len(function.args.defaults)
    closed = function.args.vararg is None and None not in function.args.kw_defaults
    return closed and least <= count <= most


def _check_inputs(function: ast.FunctionDef) -> None:
    """No item of an argument may be set, nor an argument be `out=`; a copy may be."""
    inputs = set(parameter_names(function)) - count_bindings(function.body).keys()
    for node in ast.walk(function):
        match node:
            case ast.Subscript(ctx=ast.Store() | ast.Del()):
                root: ast.expr = node
            case ast.keyword(arg="out", value=value):
                root = value
            case _:
                continue
        while isinstance(root, ast.Subscript | ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and root.id in inputs:
            message = f"changes its input `{root.id}`; work on a copy"
            raise Refusal("nondeterministic", message, root.lineno)
