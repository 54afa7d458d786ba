"""Loops over numbers are compiled; whatever might then mean something else is not."""

from __future__ import annotations

import ast
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.evaluate.compiled.source.translate import translate
from engine.evaluate.compiled.source.words import Unlisted
from engine.evaluate.compiled.work import find_work

HEAD = "def choose(node, nodes, history, matrix):\n    best = 0\n"
BODY = """\
    for a in nodes:
        total = {start}
        for b in nodes:
            total += {term}
        if {test}:
            best = {result}
    return best
"""


PARTS = (
    "a", "b", "best", "nodes", "matrix", "(0)", "(1.5)", "None", "'near'", "...", "b'x'", "(1j)",
    "()", "[]", "{}", "np", "math", "f", "(lambda x: x)", "(10 ** 400)",
)  # fmt: skip
SHAPES = (
    "({} + {})", "({} ** {})", "({} @ {})", "({} is {})", "({} in {})", "({} if {} else {})",
    "{}[{}]", "{}[{}, {}]", "{}[{}:{}]", "[{}, {}]", "({}, {})", "{{{}, {}}}", "{{{}: {}}}",
    "[{} for x in {}]", "sum({} for a in {})", "min({}, key={})", "sorted({}, reverse={})",
    "max({}, default={})", "np.zeros({}, dtype={})", "np.argsort({}, kind={})", "{}.append({})",
    "{}.sort(key={})", "np.ix_({}, {})", "math.log({})", "float({})", "int()", "{}({})",
    "np.concatenate({})", "(y := {})", "divmod({}, {})", "next({}, {})", "{}.T",
    "np.array({}, {})", "{}.astype({})", "enumerate({})", "zip()", "max()", "print({})",
)  # fmt: skip
"""Pieces of programs, sensible and not; a text that is no Python at all stops at the parser."""

EXPRESSIONS = st.recursive(
    st.sampled_from(PARTS),
    lambda inner: st.sampled_from(SHAPES).flatmap(
        lambda shape: st.lists(
            inner, min_size=shape.count("{}") + 1, max_size=shape.count("{}") + 1
        ).map(lambda found: shape.format(*found))
    ),
    max_leaves=12,
)


def program(**parts: str) -> str:
    """The skeleton with these parts."""
    usual = {"start": "0.0", "term": "matrix[a, b]", "test": "total > 1", "result": "a"}
    return HEAD + BODY.format(**{**usual, **parts})


def is_listed(code: str) -> bool:
    """Whether a program is translated."""
    try:
        translate(ast.parse(code))
    except Unlisted:
        return False
    return True


@pytest.mark.parametrize(
    "term",
    [
        "matrix[a][b] * 0.5 - 1",
        "max(matrix[a, b], abs(b - 1.5))",
        "math.sqrt(matrix[a, b])",
        "min(matrix[b, c] for c in nodes if c != b)",
        "1 if b in history[-20:] else 0",
        "matrix[a, b] ** 2 // len(history)",
        "(math.inf if b is None else nodes.shape[0])",
        "sorted(nodes, key=lambda v: matrix[a, v])[0]",
        "round(matrix[a, b])",
        "nodes.tolist()[0]",
        "(0.5 if 'near' == 'far' else 1)",
        "float('-inf')",
        "matrix[np.ix_(nodes, nodes)][0, 0]",
    ],
)
def test_arithmetic_on_numbers_and_lists_is_translated(term: str) -> None:
    assert is_listed(program(term=term))


@pytest.mark.parametrize(
    "term",
    [
        "np.exp(matrix[a, b])",
        "matrix[a].std()",
        "matrix.mean(axis=1)[b]",
        "math.hypot(matrix[a, b], 1.0)",
        "math.log(matrix[a, b], 2)",
        "float('nan')",
        "{1: 2.0}[b]",
        "(lambda x: x)(b)",
        "round(matrix[a, b], 1)",
        "str(b) < 'x'",
        "print(b) or 1",
        "np.argsort(matrix, axis=1)[0, 0]",
        "'far'.upper()",
    ],
)
def test_what_computes_in_another_way_is_left_to_python(term: str) -> None:
    assert not is_listed(program(term=term))


def test_functions_of_the_programs_own_may_be_called() -> None:
    code = program(term="weigh(b)")
    assert is_listed(f"{code}def weigh(b):\n    return 2 * b\n")
    assert not is_listed(code)


def test_functions_inside_functions_are_handed_what_they_look_up() -> None:
    inner = "    def weigh(b):\n        return matrix[a, b]\n"
    body = BODY.format(start=0, term="weigh(b)", test="total > 1", result="a")
    tree = translate(ast.parse(HEAD + inner + body))
    lifted = [node for node in tree.body if isinstance(node, ast.FunctionDef)][1]
    assert [argument.arg for argument in lifted.args.args] == ["a", "matrix", "b"]


@pytest.mark.parametrize(
    "inner",
    [
        "    def weigh(b):\n        return matrix[node, b]\n    kept = weigh\n",
        "    def weigh(*b):\n        return matrix[node, b[0]]\n",
        "    def weigh(b):\n        return weigh(b - 1) if b else 0\n",
        "    def weigh(b):\n        return b\n    def weigh(b):\n        return 2 * b\n",
    ],
    ids=["a value", "any number of arguments", "recursion", "two of one name"],
)
def test_functions_that_are_more_than_called_are_left_to_python(inner: str) -> None:
    assert not is_listed(HEAD + inner + BODY.format(start=0, term="weigh(b)", test=1, result="a"))


@pytest.mark.parametrize(
    "line",
    [
        "import cmath as math",
        "import random as np",
        "from operator import mul as max",
        "from math import *",
        "sum = 3",
        "def len(items):\n    return 7",
        "scale = lambda math: 2",
    ],
)
def test_a_word_that_stands_for_something_else_is_left_to_python(line: str) -> None:
    assert not is_listed(f"{line}\n{program()}")


@pytest.mark.parametrize("test", ["a is node", "total is True", "'' == 'b'"])
def test_questions_that_numbers_cannot_answer_are_left_to_python(test: str) -> None:
    assert not is_listed(program(test=test))


def test_powers_and_functions_of_math_get_names_that_no_program_can_use() -> None:
    tree = translate(ast.parse(program(term="math.exp(b) ** 2")))
    called = [
        n.func.id
        for n in ast.walk(tree)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
    ]
    assert called == ["our.power", "math.exp"]


@given(st.data())
@settings(max_examples=200)
def test_any_program_is_translated_or_refused(data: st.DataObject) -> None:
    """Whatever a model writes: the engine's own process reads it, and nothing else may happen."""
    code = HEAD + BODY.format(
        start=data.draw(EXPRESSIONS),
        term=data.draw(EXPRESSIONS),
        test=data.draw(EXPRESSIONS),
        result=data.draw(EXPRESSIONS),
    )
    tree = ast.parse(code)
    work = find_work(tree, "choose")
    assert math.isfinite(work.seconds([(10**6, 10**4)]))
    try:
        ast.unparse(translate(tree))
    except Unlisted as unlisted:
        assert str(unlisted)
