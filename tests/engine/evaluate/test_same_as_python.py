"""What compiled code returns is what Python returns; where it would not be, it raises."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from engine.evaluate.compiled.compile import compile_program

HEAD = "import math\nimport numpy as np\n\ndef f(n, x, nodes, table, past):\n"

COMPILED = [
    "a = [0] * 3\na[1] = x\nreturn a[1] + a[2]",
    "a = [1, 2]\na.append(x)\na.insert(1, 0.5)\na.extend([3, 4])\nreturn a[1] * a.pop(0) + sum(a)",
    "a = [[] for _ in range(4)]\na[n].append(3)\na[0].append(x)\nreturn a[n][0] + a[0][0]",
    "a = [(x, n), (0.5, 2), (x, 1)]\na.sort()\nreturn a[1][1] * 10 + a[0][1]",
    "a = sorted(nodes, key=lambda v: -table[n, v])\nreturn a[0] * 100 + a[1]",
    "a = [int(v) for v in nodes]\na.sort(key=lambda v: v % 3, reverse=True)\n"
    "return a[0] + 10 * a[1]",
    "return min(nodes, key=lambda v: abs(v - 3)) + 10 * max(nodes, key=lambda v: v % 4)",
    "a = [4, 3, 2]\ndel a[1]\na[0:1] = [7, 8]\na[1:3] = a[1:3][::-1]\nreturn a[1] * 10 + len(a)",
    "a = [3, 1, 2]\na[0], a[2] = a[2], a[0]\nreturn a.index(3) + 10 * a.count(1) + (2 in a)",
    "best, where = None, None\nfor v in nodes:\n    if best is None or table[n, v] < best:\n"
    "        best, where = table[n, v], (v, n)\nreturn best + where[0]",
    "'A line of words.'\nbest = None\nfor v in nodes:\n    if best is None or v < best:\n"
    "        best = v\nreturn best",
    "a = [[1], [2], [3]]\na[1] = None\nreturn sum(r[0] for r in a if r is not None)",
    "move = ('swap', 1, 2)\nif x > 0:\n    move = ('move', 3, 4)\nkind, i, j = move\n"
    "return i if kind == 'move' else j",
    "def weigh(v, k=2):\n    return table[n, v] ** k * scale\nscale = 0.5\n"
    "return weigh(1) + weigh(2, k=3)",
    "for w, b in ((1, 0.0), (2.5, 1)):\n    x += w * b\nreturn x",
    "rates = (0.2, 0.4) if n > 1 else (0.1, 0.2, 0.3)\nreturn sum(r * x for r in rates)",
    "p, q = [list(part) for part in (nodes, past)]\nreturn len(p) * 10 + q[0]",
    "return sum(past) + max(past[1:]) + past[-1] + len(past) + (7 in past)",
    "t = 0\nfor i, (u, v) in enumerate(zip(past, past[1:])):\n    t += i * u - v\nreturn t",
    "k = n\nwhile True:\n    k += 3\n    if k > 20:\n        break\nreturn k",
    "return next(v for v in nodes if v > 3) + any(v > 99 for v in nodes) + all(v for v in nodes)",
    "return int(7.9) + round(2.5) + math.floor(-0.5) + math.ceil(0.2) + 7 // 2 + -7 % 3",
    "return n ** 3 + 2 ** 10 + x ** 2 + x ** -0.5 + 4 ** 0.5 + math.exp(x) * math.log(3.0)",
    "a, b = divmod(17, 5)\nreturn a * 10 + b - (17.5 // 2.0) * (-17.5 % 2.0)",
    "a = tuple([x, 1.5])\nb = tuple(v * 2 for v in nodes.tolist())\nreturn a[0] + b[1] + len(b)",
    "a = tuple([tuple([i * j + 1 for j in range(3)]) for i in range(4)])\n"
    "return a[3][2] * len(a) + sum(a[1]) + tuple(past)[2] + (7 in past)",
    "s = set(nodes)\ns.add(50)\nreturn (50 in s) + 2 * (51 in s) + len(s)",
    "a = np.zeros(n + 1, dtype=int)\na[n] = 3\na[0] += 2\nreturn a[0] + a[n] * len(a)",
    "a = np.array([x, 1.0, 0.1] * 50)\nreturn a.sum() + a.mean() + np.sum(a)",
    "a = np.argsort(table[n], kind='stable')\nreturn a[0] * 100 + a[1]",
    "a = table[np.ix_(nodes, nodes)].tolist()\nreturn a[0][1] + a[1][0]",
    "a = np.array([3.0, 1.0, 2.0])\nreturn (a @ a) + a.argmin() + a.max()",
    "a = np.zeros((3, 4))\na[1, 2] = -3.0\na[2] = 5.0\nb = a @ np.ones(4)\n"
    "return b[1] * b[2] + (np.ones(3) @ a)[2]",
    "free = np.ones(len(table), dtype=bool)\nfree[n] = False\n"
    "rest = nodes[free[nodes]]\nreturn len(rest)",
    "h = 17\nfor v in past:\n    h = (h * 31 + v) % 1000003\nreturn h",
    "return -1 if not nodes.size else nodes.shape[0] + (1 if n else 0)",
    "early = [v for v in past if v < 3] or [9]\nreturn early[0]",
    "return min(x, n, 2) + max(n, 0.5) + min([4, n]) + max((1, n), default=0)",
]
"""Bodies of functions that numba takes."""

PYTHONS = [
    "return tuple([n, 1]) == tuple([2, 1])",
    "return (tuple([n, 1]) + tuple([2, 1]))[3]",
    "a = tuple([n, 1])\na[0] = 3\nreturn a[0]",
    "return 1 if tuple([0 for v in past if v > 99]) else 2",
    "return len(tuple([tuple([0] * v) for v in past]))",
    "a = [0, 1]\na[0] = x > 0\nreturn ~a[0]",
    "flags = [False] * 3\nflags[0] = 2\nreturn flags[0] + 0",
    "return n * 10 ** 30 // 10 ** 29",
    "h = 1\nfor v in range(40):\n    h = h * 31 + v\nreturn h % 1009",
    "return int(x * 1e300) % 7",
    "return (n + 61) << 70",
    "if n > 99:\n    late = 2\nreturn late",
    "a = None\nif n > 99:\n    a = 3\nreturn a + 1",
    "return math.log(n - 3)",
    "return 1 / (n - 2)",
    "return (past + past)[0] + len(past + past)",
    "return past[-1] if past else 0",
    "return [v for v in {30, 10, 20}][0]",
    "return sorted([x, float('nan') if n else 1.0, 0.0])[0]".replace(
        "float('nan')", "(math.inf - math.inf)"
    ),
    "return np.argsort(np.array([1.0, 1.0, 0.0]))[1]",
    "return (table @ table[n])[0]",
    "return (table[n] @ table)[0]",
    "return table[n] @ table[1]",
    "return (np.ones(9) @ (table * 0 + 2.0 ** 21 + 0.5))[0]",
    "return (np.round(table * 9) @ np.ones(8))[0]",
    "return [1, 2][n + 5]",
    "a = [[1], [2]]\nreturn (~(x > 0)) + len(a)",
]
"""Bodies that Python runs, since numba would do something else; whatever comes out there."""


def every_fifth(bodies: list[str]) -> list[Any]:
    """Bodies of which four of five wait for the night: each takes seconds to compile."""
    nightly = pytest.mark.nightly
    return [pytest.param(body, marks=[nightly] * bool(n % 5)) for n, body in enumerate(bodies)]


class Shown(NamedTuple):
    """What a program is shown of a state."""

    rows: tuple[tuple[int, ...], ...]
    step: int


def arguments() -> tuple[Any, ...]:
    """A number of each kind, nodes, a table and a tuple."""
    table = np.random.default_rng(1).random((9, 9))
    table.flags.writeable = False
    return 2, 1.5, np.array([5, 1, 7, 3]), table, (2, 0, 7, 4)


def both(body: str) -> tuple[object, object]:
    """What Python and what compiled code make of a body; an exception is one of its results."""
    code = HEAD + "".join(f"    {line}\n" for line in body.split("\n"))
    namespace: dict[str, Any] = {}
    exec(code, namespace)
    return outcome(namespace["f"]), outcome(compile_program(code, "f"))


def outcome(function: Any) -> object:
    """What a function returns, or the exception that it raises."""
    try:
        return function(*arguments())
    except Exception as error:
        return error


@pytest.mark.parametrize("body", every_fifth(COMPILED))
def test_what_is_compiled_is_what_python_does(body: str) -> None:
    expected, found = both(body)
    assert not isinstance(found, Exception)
    assert found == expected


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("body", every_fifth(PYTHONS))
def test_what_would_be_something_else_is_left_to_python(body: str) -> None:
    expected, found = both(body)
    assert isinstance(found, Exception) or found == expected


def test_named_tuples_are_shown_as_they_are() -> None:
    code = (
        "def f(state):\n    total = 0\n    rows = state.rows\n    for row in rows:\n"
        "        for k in range(state.step, len(row)):\n            total += row[k]\n"
        "    return total * 10 + len(rows[0]) + sum(rows[1][1:])\n"
    )
    namespace: dict[str, Any] = {}
    exec(code, namespace)
    function = compile_program(code, "f")
    for rows in (((1, 2), (3, 4)), ((5, 6, 7), (8, 9, 1), (2, 3, 4))):
        for step in (0, 1):
            assert function(Shown(rows, step)) == namespace["f"](Shown(rows, step))


def test_sums_are_numpys_to_the_last_bit() -> None:
    code = "def f(a):\n    return a.sum() - 3.0 * a.mean()\n"
    function = compile_program(code, "f")
    rng = np.random.default_rng(0)
    for size in (1, 2, 7, 8, 9, 127, 128, 129, 255, 1000, 1024, 9000):
        a = rng.normal(size=size) * 10.0 ** rng.integers(-3, 9, size=size)
        assert function(a) == a.sum() - 3.0 * a.mean()


SIZES = st.integers(1, 40)
SPOILT = st.sampled_from([None, 0.5, -(2.0**20), np.inf, np.nan])


@pytest.mark.parametrize("depths", [(1, 1), (2, 1), (1, 2)])
@given(data=st.data())
@settings(max_examples=40)
def test_products_are_numpys_to_the_last_bit_or_none(
    depths: tuple[int, int], data: st.DataObject
) -> None:
    product = compiled_product(depths)
    rows, columns = data.draw(SIZES), data.draw(SIZES)
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    table = rng.integers(-300, 300, (rows, columns)).astype(float)
    a = table if depths[0] == 2 else table[:, 0].copy()
    b = {(1, 1): a[::-1].copy(), (2, 1): table[0].copy(), (1, 2): table.copy()}[depths]
    spoilt = data.draw(SPOILT)
    if spoilt is None:
        assert np.array_equal(product(a, b), a @ b)
        return
    where = data.draw(st.sampled_from([a, b]))
    where.flat[data.draw(st.integers(0, where.size - 1))] = spoilt
    with pytest.raises(ValueError):
        product(a, b)


@cache
def compiled_product(depths: tuple[int, int]) -> Any:
    """A program that multiplies two arrays of so many dimensions."""
    return compile_program("def f(a, b):\n    return a @ b\n", "f")


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
        assert found == expected, body
