"""Which numbers of a program may be moved, and that nothing else of its text is touched."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

import problems
from engine.search.tuning.constants import MOST, find_constants, rewrite

NAMED = """\
import math
# the weights
SLACK = 0.35   # of the time left
NEAR, FAR = 2.0, -0.5
TABLE = {"a": 1.5, 'b': (0.25, -3e-1), "size": 8}
REACH: float = 12
DEPTH = 4
EPS = 1e-9
BIG = 1e9
NONE = 0.0
UNUSED = 0.7
small = 0.3

def score(item, state):
    best = [0] * DEPTH
    for k in range(DEPTH):
        best[k] = item.weight * SLACK + NEAR * FAR * 0.9 + small
    return sum(best) / max(EPS, REACH - item.finish) + TABLE["a"] * TABLE["b"][0] - BIG + NONE
"""

PLAIN = """\
def score(item, state, power=0.5):
    near = sorted(state.items)[: int(2.5)]
    for k in range(int(3.5)):
        pass
    text = f"{0.75}"
    value = -0.2 * item.weight + 1.0 * item.finish ** 1.5 + 0.0 + float("inf") * 1e-7
    return round(value, 2) if value < 20 else -1.0 + 0.001 * item.left + power
"""


def names(code: str) -> list[str]:
    """What its constants are called."""
    return [constant.name for constant in find_constants(code)]


def numbers(code: str) -> list[float]:
    """Their values with their signs."""
    return [constant.sign * constant.value for constant in find_constants(code)]


def test_named_constants_are_those_of_a_program_that_has_any() -> None:
    assert names(NAMED) == [
        "SLACK", "NEAR", "FAR", "TABLE['a']", "TABLE['b'][0]", "TABLE['b'][1]", "REACH",
    ]  # fmt: skip
    assert numbers(NAMED) == [0.35, 2.0, -0.5, 1.5, 0.25, -0.3, 12]


def test_without_names_they_are_the_floats_but_for_guards_indices_and_plain_ones() -> None:
    assert numbers(PLAIN) == [0.5, -0.2, 1.5, 0.001]
    assert names(PLAIN)[1] == "line 6"


@pytest.mark.parametrize(
    "use",
    [
        "range(K)", "item.list[K]", "item.list[:K]", "np.zeros(K)", "[0] * K", "item.a % K",
        "item.a // K", "1 << K", "heapq.nsmallest(K, item.list)", "helper(K)", "item.a ** K",
    ],
)  # fmt: skip
def test_a_whole_number_that_counts_something_stays(use: str) -> None:
    assert names(f"K = 8\ndef score(item, state):\n    return {use}\n") == []


@pytest.mark.parametrize("use", ["K * item.a", "item.a - K", "-K / item.a", "max(K, item.a)"])
def test_a_whole_number_in_arithmetic_may_move_and_stays_whole(use: str) -> None:
    code = f"K = 8\ndef score(item, state):\n    return {use}\n"
    (constant,) = find_constants(code)
    assert rewrite(code, [constant], [constant.snap(11.4)]).startswith("K = 11\n")
    assert constant.snap(0.01) == 1


def test_whole_factors_move_as_floats_where_there_is_nothing_else() -> None:
    score = "1590 * job.weight / job.time - 3 * job.due + 7 % job.items[2 * 1]"
    text = f"def score(job):\n    return {score}\n"
    found = find_constants(text)
    assert [(one.name, one.value) for one in found] == [("line 2", 1590.0), ("line 2", 3.0)]
    assert rewrite(text, found, [1590.0, 3.25]) == text.replace("3 *", "3.25 *")
    assert [one.value for one in find_constants(text.replace("7 %", "0.7 *"))] == [0.7]


def test_a_name_that_is_bound_twice_is_no_constant() -> None:
    code = "W = 0.5\nW = 0.7\ndef score(item, state):\n    return W * item.a\n"
    assert names(code) == ["line 1", "line 2"]


def test_rewriting_leaves_everything_but_the_numbers_as_it_was() -> None:
    found = find_constants(NAMED)
    moved = rewrite(NAMED, found, [0.4, 3.0, 0.75, 1.5, 0.125, 0.3, 13.0])
    expected = NAMED.replace("0.35 ", "0.4 ").replace("2.0, -0.5", "3.0, -0.75")
    expected = expected.replace("(0.25,", "(0.125,").replace("= 12\n", "= 13\n")
    assert moved == expected


def test_constants_are_found_behind_letters_of_several_bytes() -> None:
    code = '# Größe\nA = "äöü→"; WÄRME = 0.25\r\ndef score(é, s):\n    return "ü" and 0.5 * é.a\n'
    found = find_constants(code)
    assert [c.value for c in found] == [0.25, 0.5]
    moved = code.replace("0.5", "0.75").replace("0.25", "1.5")
    assert rewrite(code, found, [1.5, 0.75]) == moved


def test_seeds_of_all_problems_are_read() -> None:
    for name in problems.names():
        for rule in problems.load(name).seeds():
            code = rule.code or ""
            found = find_constants(code)
            assert rewrite(code, found, [c.value for c in found]) == code
            ast.parse(rewrite(code, found, [c.snap(3 * c.value) for c in found]))


def test_there_is_an_end_to_them() -> None:
    code = "def score(item, state):\n    return " + " + ".join(f"{k}.5" for k in range(99)) + "\n"
    assert len(find_constants(code)) == MOST


WORDS = st.sampled_from(
    [
        *("A", "B_2", "x", "=", "0.5", "-0.25", "3", "1e-9", "1_0.5", "2.5e3", "A = 0.7\n"),
        *("(", ")", "[", "]", "{", "}", ":", ",", "+", "*", "\n", "    ", "\r", "\x0c", "\\\n"),
        *("def f(a):", "return", "if", "else", "lambda", "for k in", "range(", "f'{", "}'"),
        *("'ü'", "#", "\ud800", "\0"),
    ]
)


@given(st.lists(WORDS, max_size=30).map("".join))
def test_any_text_is_read_without_an_error_and_equal_values_give_the_equal_text(code: str) -> None:
    found = find_constants(code)
    assert rewrite(code, found, [constant.value for constant in found]) == code


FLOATS = st.floats(1e-4, 1e4).map(lambda value: float(f"{value:.5g}"))


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Programs of named and unnamed numbers in different spellings."""
    lines = []
    count = draw(st.integers(0, 4))
    for k in range(count):
        value = draw(FLOATS)
        sign = draw(st.sampled_from(["", "-", "+"]))
        spelling = draw(st.sampled_from(["{!r}", "{:.3e}", "0{!r}"])).format(value)
        lines.append(f"W{k} = {sign}{spelling}  # weight {value}")
    terms = [f"W{k} * item.weight" for k in range(count)]
    terms += [f"{draw(FLOATS)!r} * item.finish" for _ in range(draw(st.integers(1, 3)))]
    body = " - ".join(terms)
    return "\n".join([*lines, "", "def score(item, state):", f"    return {body}", ""])


@given(programs(), st.floats(0.05, 20))
def test_moved_constants_are_read_back_and_nothing_else_has_changed(
    code: str, factor: float
) -> None:
    found = find_constants(code)
    values = [constant.snap(factor * constant.value) for constant in found]
    moved = rewrite(code, found, values)
    assert blank(moved) == blank(code)
    written = [node.value for node in ast.walk(ast.parse(moved)) if isinstance(node, ast.Constant)]
    assert set(values) <= {abs(value) for value in written if isinstance(value, float)}


def blank(code: str) -> str:
    """The syntax of a program whatever its numbers are."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            node.value = 0.0
    return ast.dump(tree)
