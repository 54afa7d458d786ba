"""How much a program has to do, read off its text and the sizes of its instances.

No stopwatch decides what is compiled: the same program on the same set is treated the same on
every machine. Of 164 recorded programs of a strong model, 92 needed between a quarter and four
times the estimate, 139 between an eighth and eight times.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    Loops = tuple[bool, ...]
    """Loops inside one another, the outermost first: whether each goes over the instance."""

    Steps = Mapping[Loops, float]
    """Steps by the loops that they are in."""

    Walk = tuple[int, int]
    """A number of calls and the size of the instance (`Compilable.walk_length`)."""

STEP = 25e-9
"""Seconds that Python needs for a node of a syntax tree; what NumPy does inside a call, which
gains nothing, does not count."""

START = 0.5
NODE = 4e-3
"""Seconds that numba needs for a program, and for each node of its syntax tree."""

CROSSING = 8e-6
"""Seconds that it takes to hand a compiled program the arguments of a call."""

LARGEST = 6000
"""Nodes of the largest syntax tree that is looked at: to compile it takes half a minute."""

GAIN = 2.0
"""The work is to take at least so many times the seconds that numba needs."""

SHARE = 0.75
"""Of the CPU seconds that a program may use, numba's share at most."""

SHOWN = 0.5
"""What is left of an instance in the middle of a walk: a loop over it goes round so often."""

ROUNDS = (0.25, 0.1)
"""Rounds of another loop, and of one inside of a loop, by the size of the instance: the loops of
look-aheads go over parts of a solution, or end early."""

IMPROVING = 100.0
"""Rounds of the outermost such loop of a plan, by the size: its text does not tell them, and what
improves a plan goes round until its time is over, up to thousands of times the size."""

FURTHER = 0.5
"""Rounds of such a loop still deeper, which is rarely come to."""

DEEPEST = 6
"""Loops inside one another beyond which nothing is told apart."""

LONGEST = 64
"""Rounds of a loop over constants; longer ones count as if they were over the instance."""

QUICK = 0.3
"""A step inside a builtin function, beside one of Python's."""

TAKEN = 0.5
"""How often a branch is taken."""

GOES_THROUGH = frozenset({
    "all", "any", "count", "index", "list", "max", "min", "remove", "sorted", "sort", "sum",
    "tolist",
})  # fmt: skip
"""Builtin functions and methods that go through a list."""


@dataclass(frozen=True, slots=True)
class Work:
    """What a program has to do in a call; `nodes` are those of its syntax tree.

    What it does `once` an instance is a plan, in which every call of the walk has a part.
    """

    steps: Steps
    nodes: int
    once: bool = False

    def seconds(self, walks: Iterable[Walk]) -> float:
        """CPU seconds of Python."""
        rounds = (IMPROVING, *ROUNDS[1:]) if self.once else ROUNDS
        return sum(
            STEP * calls * count * _count_rounds(loops, size, rounds)
            for calls, size in self._walked(walks)
            for loops, count in self.steps.items()
        )

    def _walked(self, walks: Iterable[Walk]) -> Iterable[Walk]:
        """How often it is called, and for an instance of what size."""
        return [(1, calls) for calls, _ in walks] if self.once else walks

    @property
    def compiling(self) -> float:
        """CPU seconds that numba needs."""
        return START + NODE * self.nodes

    def pays(self, walks: Sequence[Walk], limit: float) -> bool:
        """Whether to compile the program, which may use `limit` CPU seconds."""
        crossing = CROSSING * sum(calls for calls, _ in self._walked(walks))
        return self.seconds(walks) >= GAIN * (self.compiling + crossing) and (
            self.compiling <= SHARE * limit
        )


def find_work(tree: ast.Module, entry: str) -> Work:
    """What a call of the function `entry` of a program has to do."""
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    steps = _Counter(functions, _find_shown(functions[entry])).of_function(entry)
    return Work(steps, count_nodes(tree))


def add(plans: Iterable[Work]) -> Work:
    """What several helpers have to do, each once an instance."""
    parts = [*plans]
    return Work(_sum(one.steps for one in parts), sum(one.nodes for one in parts), once=True)


def count_nodes(tree: ast.AST) -> int:
    """The size of a syntax tree."""
    return sum(1 for _ in ast.walk(tree))


def _find_shown(function: ast.FunctionDef) -> frozenset[str]:
    """The names of what a function is given, and of what it makes of that."""
    shown = {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _mentions(value, shown):
                shown.add(name)
    return frozenset(shown)


def _mentions(value: ast.expr, names: Collection[str]) -> bool:
    """Whether a value is made of one of `names`, whole: its length, a copy, all of its items."""
    match value:
        case ast.Name(id=name):
            return name in names
        case ast.Attribute(value=owner):
            return _mentions(owner, names)
        case ast.Call(func=ast.Attribute(value=owner), args=[]):
            return _mentions(owner, names)
        case ast.Call(func=ast.Name(id="len" | "list" | "range" | "enumerate"), args=[*parts]):
            return any(_mentions(part, names) for part in parts)
        case ast.ListComp(generators=[ast.comprehension(iter=items)]):
            return _mentions(items, names)
        case ast.BinOp(op=ast.Add() | ast.Sub(), left=left, right=right):
            return _mentions(left, names) or _mentions(right, names)
    return False


def _count_rounds(loops: Loops, size: int, of_parts: Sequence[float]) -> float:
    """How often the innermost of these loops goes round in a call.

    `of_parts` are the rounds, by the size, of the outermost loops that are not over the instance.
    """
    rounds = 1.0
    for depth, is_over_instance in enumerate(loops):
        if is_over_instance:
            rounds *= SHOWN * size
        else:
            rounds *= of_parts[depth] * size if depth < len(of_parts) else FURTHER
    return rounds


class _Counter:
    """Counts the steps of functions that call one another."""

    def __init__(self, functions: Mapping[str, ast.FunctionDef], shown: Collection[str]) -> None:
        self.functions = functions
        self.shown = shown
        self.known: dict[str, Steps] = {}

    def of_function(self, name: str) -> Steps:
        """The steps of a call; one that calls itself is counted once."""
        if name not in self.known:
            self.known[name] = {}
            self.known[name] = _sum(map(self._of, self.functions[name].body))
        return self.known[name]

    def _of(self, node: ast.AST) -> Steps:
        match node:
            case ast.FunctionDef() | ast.Lambda():
                return {}
            case ast.For(iter=items, body=body):
                return _sum([self._of(items), self._repeated(items, body)])
            case ast.If(test=test, body=body, orelse=other):
                branches = _sum(map(self._of, (*body, *other)))
                return _sum([self._of(test), _scaled(TAKEN, branches)])
            case ast.While(test=test, body=body):
                return _inside(False, _sum(map(self._of, (test, *body))))
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
                return self._comprehension(node)
            case ast.Call(func=ast.Name(id=name)) if name in self.functions:
                return _sum([self.of_function(name), *map(self._of, ast.iter_child_nodes(node))])
        inside: list[Steps] = [*map(self._of, ast.iter_child_nodes(node)), {(): 1.0}]
        if _goes_through(node):
            inside.append({(False,): QUICK})
        return _sum(inside)

    def _repeated(self, items: ast.expr, body: Iterable[ast.AST]) -> Steps:
        return self._times(items, _sum(map(self._of, body)))

    def _times(self, items: ast.expr, steps: Steps) -> Steps:
        """For each of these items."""
        rounds = _rounds(items)
        if rounds is not None:
            return _scaled(rounds, steps)
        return _inside(_mentions(items, self.shown), steps)

    def _comprehension(self, node: ast.AST) -> Steps:
        parts = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        inside = _sum(map(self._of, parts))
        for generator in reversed(node.generators):  # type: ignore[attr-defined]
            inside = _sum([inside, *map(self._of, generator.ifs)])
            inside = _sum([self._times(generator.iter, inside), self._of(generator.iter)])
        return inside


def _rounds(items: ast.expr) -> int | None:
    """How often a loop goes round, where its text says so."""
    match items:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return len(parts)
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int(rounds))]):
            return rounds if rounds <= LONGEST else None
    return None


def _goes_through(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name), args=[_]) | ast.Call(func=ast.Attribute(attr=name)):
            return name in GOES_THROUGH
        case ast.Compare(ops=[ast.In() | ast.NotIn()]) | ast.Slice():
            return True
    return False


def _scaled(factor: float, steps: Steps) -> Steps:
    return {loops: factor * count for loops, count in steps.items()}


def _inside(is_over_instance: bool, steps: Steps) -> Steps:
    """In one more loop."""
    return _sum({(is_over_instance, *loops)[:DEEPEST]: count} for loops, count in steps.items())


def _sum(parts: Iterable[Steps]) -> Steps:
    total: defaultdict[Loops, float] = defaultdict(float)
    for part in parts:
        for loops, count in part.items():
            total[loops] += count
    return total
