"""Nested loops over numbers are compiled; whatever might then mean something else is not."""

from __future__ import annotations

import ast

import pytest

from engine.evaluate.compiled.scalar import translate

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


def is_scalar(**parts: str) -> bool:
    """Whether the skeleton with these parts is translated."""
    usual = {"start": "0.0", "term": "matrix[a, b]", "test": "total > 1", "result": "a"}
    return translate(ast.parse(HEAD + BODY.format(**{**usual, **parts}))) is not None


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
    ],
)
def test_arithmetic_on_numbers_is_translated(term: str) -> None:
    assert is_scalar(term=term)


@pytest.mark.parametrize(
    "term",
    [
        "np.exp(matrix[a, b])",
        "matrix[a].sum()",
        "math.hypot(matrix[a, b], 1.0)",
        "math.log(matrix[a, b], 2)",
        "(matrix @ matrix)[a, b]",
        "sorted(nodes)[0]",
        "float('nan')",
        "{1: 2.0}[b]",
        "(lambda x: x)(b)",
        "round(matrix[a, b], 1)",
        "len({*history})",
        "str(b) < 'x'",
        "nodes.tolist()[0]",
        "print(b) or 1",
    ],
)
def test_what_computes_in_another_way_is_left_to_python(term: str) -> None:
    assert not is_scalar(term=term)


@pytest.mark.parametrize("test", ["history", "not history", "history and total", "total or nodes"])
def test_whether_an_argument_is_empty_is_left_to_python(test: str) -> None:
    assert not is_scalar(test=test)
    assert not is_scalar(result=f"1 if {test} else 2")


def test_a_single_loop_is_fast_enough() -> None:
    assert (
        translate(ast.parse(f"{HEAD}    for a in nodes:\n        best = a\n    return best"))
        is None
    )
    assert translate(ast.parse(f"{HEAD}    return best")) is None


def test_functions_of_the_programs_own_may_be_called() -> None:
    program = f"{HEAD}{BODY.format(start=0, term='weigh(b)', test='total > 1', result='a')}"
    assert translate(ast.parse(f"{program}def weigh(b):\n    return 2 * b\n")) is not None
    assert translate(ast.parse(program)) is None


def test_powers_and_functions_of_math_get_names_that_no_program_can_use() -> None:
    term = "math.exp(b) ** 2"
    tree = translate(ast.parse(HEAD + BODY.format(start=0, term=term, test="True", result="a")))
    assert tree is not None
    called = [
        n.func.id
        for n in ast.walk(tree)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
    ]
    assert called == ["math.pow", "math.exp"]


def test_a_program_that_would_take_long_to_compile_is_left_to_python() -> None:
    assert is_scalar(term=" + ".join(["matrix[a, b]"] * 200))
    assert not is_scalar(term=" + ".join(["matrix[a, b]"] * 400))
