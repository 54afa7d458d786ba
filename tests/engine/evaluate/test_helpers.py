"""Helpers with a cache are compiled by themselves, and return what Python's would."""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, Any

import pytest

from engine.evaluate.compiled.compile import Helpers, try_helpers
from engine.evaluate.compiled.source.helpers import extract, find_helpers
from engine.evaluate.compiled.source.words import Unlisted
from engine.evaluate.constants import plain_caches
from engine.evaluate.rollout import _choose_solver
from problems.maxcut.problem import Maxcut

if TYPE_CHECKING:
    from collections.abc import Sequence

PROBLEM = Maxcut()
GRAPHS = PROBLEM.load("ba20w")[:4]

PLAN = """\
import functools
import math

ROUNDS = 3
UNUSED = {1: 2}


@functools.cache
def shares(values):
    return tuple([value / 2.0 for value in values])


def weigh(values, place):
    total = 0.0
    for k, value in enumerate(values):
        total += value / (1 + abs(k - place))
    return total


@functools.lru_cache(maxsize=8)
def plan(values, gain, is_late):
    halves = shares(values)
    rest = [place for place in range(len(values))]
    for _ in range(ROUNDS):
        rest.sort(key=lambda place: weigh(halves, place) * gain)
        gain += 0.25
    if is_late:
        rest.reverse()
    return tuple(rest), halves, gain, len(rest), is_late
"""

CHOICE = f"""

def {PROBLEM.contract.signature()}:
    row = adjacency[0].tolist()
    order = plan(tuple(row), 1.5, bool(step % 2))[0]
    known = {{place: k for k, place in enumerate(order)}}
    return max(range(len(spins)), key=lambda v: (spins[v] * (adjacency[v] @ spins), known[v]))
"""


def define(code: str) -> dict[str, Any]:
    """A program as a child defines it."""
    namespace: dict[str, Any] = {}
    with plain_caches():
        exec(code, namespace)
    return namespace


def installed(code: str) -> tuple[dict[str, Any], Helpers]:
    """A program with its helpers compiled."""
    helpers = Helpers(code)
    namespace = define(code)
    helpers.install(namespace)
    return namespace, helpers


def kinds(value: object) -> object:
    """The types of a value and of what it holds."""
    return [*map(kinds, value)] if isinstance(value, tuple) else type(value)


def test_a_helper_returns_what_pythons_does_in_pythons_types() -> None:
    namespace, helpers = installed(PLAN)
    expected = define(PLAN)["plan"]
    for values in ((1.0, 0.5, 3.0, 2.0), (0.25,), (4.0, 4.0)):
        for is_late in (False, True):
            found = namespace["plan"](values, 1.5, is_late)
            assert found == expected(values, 1.5, is_late)
            assert kinds(found) == kinds(expected(values, 1.5, is_late))
    assert helpers.working == {"plan"}
    assert namespace["plan"].cache_info().misses == 6
    assert namespace["plan"].cache_parameters()["maxsize"] == 8


def test_arguments_of_another_kind_are_pythons() -> None:
    namespace, helpers = installed(PLAN)
    expected = define(PLAN)["plan"]
    assert namespace["plan"]((1.0, 2.0), 1.5, False) == expected((1.0, 2.0), 1.5, False)
    for values in ((1, 2), (1, 0.5), (True,), ()):
        assert namespace["plan"](values, 1.5, False) == expected(values, 1.5, False)
    assert namespace["plan"]((1.0, 2.0), gain=1, is_late=True) == expected((1.0, 2.0), 1, True)
    assert helpers.working == {"plan"}


def test_a_helper_that_fails_says_what_pythons_does() -> None:
    namespace, _ = installed(PLAN.replace("value / 2.0", "1.0 / value"))
    assert namespace["plan"]((1.0, 2.0), 1.5, False)[3] == 2
    with pytest.raises(ZeroDivisionError):
        namespace["plan"]((1.0, 0.0), 1.5, False)


def test_a_helper_that_cannot_be_compiled_is_not_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    code = PLAN.replace("value / 2.0", "1 if value > 2 else (2, 3)")
    namespace, helpers = installed(code.replace("halves = shares(values)", "halves = values"))
    monkeypatch.setattr(helpers, "_functions", {"plan": functools.partial(int, "no number")})
    for values in ((1.0, 0.5), (2.0, 0.5)):
        assert namespace["plan"](values, 1.5, False)[3] == 2
    assert helpers.working == set()
    assert helpers._functions == {}


def test_only_the_part_of_a_helper_is_compiled_and_caches_inside_it_are_left_out() -> None:
    assert find_helpers(ast.parse(PLAN + CHOICE)) == ["plan"]
    part = ast.unparse(extract(ast.parse(PLAN + CHOICE), "plan"))
    assert "lru_cache" not in part and "UNUSED" not in part and "known" not in part
    assert "ROUNDS = 3" in part and "def shares" in part and "def weigh" in part


@pytest.mark.parametrize(
    "line",
    [
        "for _ in rest:\n        shares(values)",
        "rest = [shares(values) for _ in rest]",
        "rest = [asked(values) for _ in rest]",
    ],
)
def test_a_cache_that_is_asked_in_a_loop_stays_pythons(line: str) -> None:
    code = PLAN.replace("if is_late:", f"{line}\n    if is_late:")
    code += "\n\ndef asked(values):\n    return shares(values)\n"
    with pytest.raises(
        Unlisted, match=r"`[a-z]+`, which is or asks a cache, in a loop"
    ) as refused:
        extract(ast.parse(code), "plan")
    assert refused.value.line == 1 + code[: code.index(line)].count("\n") + ("\n" in line)


@pytest.mark.parametrize(
    "line", ["for _ in shares(values):", "rest = [_ for _ in shares(values)]"]
)
def test_a_cache_that_a_loop_goes_through_is_asked_once(line: str) -> None:
    code = PLAN.replace(
        "for _ in range(ROUNDS):", line if line[-1] == ":" else f"{line}\n    if 1:"
    )
    assert "shares" in ast.unparse(extract(ast.parse(code), "plan"))


def test_a_program_around_a_compiled_helper_takes_the_same_actions() -> None:
    code = PLAN + CHOICE
    slow = _choose_solver(PROBLEM, code, None, (), watched=True)
    quick = _choose_solver(PROBLEM, code, None, GRAPHS, watched=True)
    assert quick.__name__ == "asked"
    for forced in ((), (3, 0, 3)):
        for graph in GRAPHS:
            assert quick(graph, forced) == slow(graph, forced)


def test_without_numba_python_runs_the_helpers_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.evaluate.compiled.compile._compile", None)
    namespace, helpers = installed(PLAN)
    assert namespace["plan"]((1.0, 2.0), 1.5, False) == define(PLAN)["plan"](
        (1.0, 2.0), 1.5, False
    )

    def solve(instance: Any, forced: Sequence[int]) -> Sequence[int]:
        return (1,)

    def plain(instance: Any, forced: Sequence[int]) -> Sequence[int]:
        return (1,)

    assert try_helpers(helpers, solve, plain, GRAPHS) is plain
