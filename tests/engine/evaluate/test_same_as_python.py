"""What compiled code returns is what Python returns; where it would not be, it raises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from engine.evaluate.compiled.compile import compile_rule
from engine.evaluate.compiled.text import Unlisted, rewrite
from engine.evaluate.compiled.words import add_pairwise
from engine.search.prompts.context import COMPILED as TOLD
from tests.engine.evaluate.bodies import (
    COMPILED,
    CONTRACT,
    HEAD,
    KERNEL,
    PYTHONS,
    arguments,
    both,
)


def is_same(found: Any, expected: Any) -> bool:
    """Whether two answers are the same number, or none both."""
    return bool(found == expected) or (found != found and expected != expected)


def every_fifth(bodies: list[str]) -> list[Any]:
    """Bodies of which four of five wait for the night: each takes a moment to compile."""
    nightly = pytest.mark.nightly
    return [pytest.param(body, marks=[nightly] * bool(n % 5)) for n, body in enumerate(bodies)]


@pytest.mark.parametrize("body", every_fifth(COMPILED))
def test_what_is_compiled_is_what_python_does(body: str) -> None:
    expected, found = both(body)
    assert not isinstance(found, Exception)
    assert is_same(found, expected)


@pytest.mark.filterwarnings(
    "ignore::RuntimeWarning", "ignore::DeprecationWarning", "ignore::SyntaxWarning"
)
@pytest.mark.parametrize("body", every_fifth(PYTHONS))
def test_what_would_be_something_else_is_left_to_python(body: str) -> None:
    expected, found = both(body)
    assert isinstance(found, Exception) or is_same(found, expected)


@pytest.mark.parametrize(
    "name", ["zeros", "ones", "full", "array", "arange", "sqrt", "minimum", "argmax", "argsort"]
)
def test_what_writers_are_told_is_compiled(name: str) -> None:
    arguments = {"full": "3, 0.5", "array": "[1.0, x]", "minimum": "x, 1.0", "argsort": "table[0]"}
    arguments |= {"sqrt": "x", "argmax": "table[0]"}
    assert f" {name}" in TOLD
    code = f"{HEAD}    found = np.{name}({arguments.get(name, '3')})\n    return 1\n"
    assert rewrite(code, CONTRACT)


@pytest.mark.parametrize(
    "line",
    ["a = {}", "a = {1, 2}", "a = 'text'", "def f(u): return u", "a = np.sum(table, axis=0)"],
)
def test_what_writers_are_told_is_left_to_python(line: str) -> None:
    with pytest.raises(Unlisted):
        rewrite(f"{HEAD}    {line}\n    return 1\n", CONTRACT)


def test_a_rule_that_is_too_large_is_told_by_how_much() -> None:
    lines = "    a = 1\n" * 1500
    with pytest.raises(Unlisted, match=r"^6,\d\d\d parts of syntax, 5,000 at most$"):
        rewrite(f"{HEAD}{lines}    return 1\n", CONTRACT)


HELPERS = """\
def fill(row, flags, by):
    if by > 5:
        return
    for k in range(len(row)):
        row[k] += by
        flags[k] = row[k] > 2


def pick(row, upper):
    if upper:
        return row[0]
    row[0] = -1.0


def f(n, x, nodes, table, past):
    row = [0.5, x]
    flags = [False] * 2
    fill(row, flags, n)
    fill(row, flags, 9)
    {last}
"""


@pytest.mark.parametrize(
    "last",
    [
        "return row[1] + (1 if flags[1] else 2) + pick(row, x > 1)",
        "pick(row, x > 9)\n    return row[0]",
        "a = pick(row, x > 9)\n    return 1.0 if a is None else a",
    ],
)
def test_helpers_may_change_lists_and_return_nothing(last: str) -> None:
    code = HELPERS.format(last=last)
    namespace: dict[str, Any] = {}
    exec(code, namespace)
    expected = namespace["f"](*arguments(compiled=False))
    assert compile_rule(code, CONTRACT, KERNEL)(*arguments(compiled=True)) == expected


def test_what_is_none_is_no_number() -> None:
    code = HELPERS.format(last="return 1.0 + pick(row, x > 9)")
    with pytest.raises(Exception):  # noqa: B017 (numba's or ours: Python runs it)
        compile_rule(code, CONTRACT, KERNEL)(*arguments(compiled=True))


def test_sums_are_numpys_to_the_last_bit() -> None:
    rng = np.random.default_rng(0)
    for size in (1, 2, 7, 8, 9, 127, 128, 129, 255, 1000, 1024, 9000):
        a = rng.normal(size=size) * 10.0 ** rng.integers(-3, 9, size=size)
        assert add_pairwise(a) == a.sum()


@given(st.text(max_size=200))
def test_any_text_is_rewritten_or_refused(text: str) -> None:
    code = f"{HEAD}    return {text}\n"
    try:
        rewrite(code, CONTRACT)
    except (Unlisted, SyntaxError, ValueError) as error:
        assert str(error)


NUMBERS = st.sampled_from(
    ["n", "x", "k", "m", "0", "1", "-7", "0.5", "2**53", "2**62", "past[1]", "nodes[0]", "rows[1]"]
)
OPERATIONS = (
    "({} + {})", "({} - {})", "({} * {})", "({} / {})", "({} // {})", "({} % {})", "({} ** 2)",
    "({} ** 0.5)", "(2 ** ({} % 80))", "({} << {} % 80)", "({} >> {})", "min({}, {})", "(-{})",
    "max({}, {})", "abs({})", "int({})", "round({})", "math.floor({})", "({} if {} < {} else {})",
    "float({})", "({} < {})", "({} or {})", "divmod({}, {})[1]", "sum([{}, {}])", "(not {})",
    "sorted([{}, {}, {}])[0]", "past[{} % 3]", "max([{}, {}], key=lambda v: v % 5)",
    "len([{}] * min({}, 5))", "([{}, {}] + [{}])[1]",
)  # fmt: skip
EXPRESSIONS = st.recursive(
    NUMBERS,
    lambda inner: st.sampled_from(OPERATIONS).flatmap(
        lambda shape: st.lists(inner, min_size=shape.count("{}"), max_size=shape.count("{}")).map(
            lambda parts: shape.format(*parts)
        )
    ),
    max_leaves=6,
)
STATEMENTS = st.sampled_from(
    [
        "k = {}",
        "m += {}",
        "rows.append({})",
        "rows[0] = {}",
        "rows[1:] = [{}]",
        "for k in range(3): m = {}",
        "if {} > m: rows = [{}, {}]",
        "k, m = {}, {}",
        "while m < 3: m += 1 + abs({})",
        "rows.sort()",
        "del rows[-1]",
        "rows = rows + [{}]",
    ]
).flatmap(
    lambda shape: st.lists(
        EXPRESSIONS, min_size=shape.count("{}"), max_size=shape.count("{}")
    ).map(lambda parts: shape.format(*parts))
)


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
@given(st.lists(STATEMENTS, min_size=1, max_size=3), EXPRESSIONS)
@settings(max_examples=10, phases=[Phase.explicit, Phase.generate])
def test_whatever_is_compiled_returns_what_python_returns(lines: list[str], result: str) -> None:
    """Where Python fails the compiled program fails too; it may also fail alone."""
    body = "\n".join(["k, m, rows = 1, 2, [1, 2, 3]", *lines, f"return {result}"])
    expected, found = both(body)
    if not isinstance(found, Exception):
        assert not isinstance(expected, Exception), body
        assert is_same(found, expected), body
