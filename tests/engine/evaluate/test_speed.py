"""Beside each program stands whether it is compiled, and if not, where and why."""

from __future__ import annotations

import ast
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import problems
from engine.evaluate.compiled.source.translate import translate
from engine.evaluate.compiled.source.words import Unlisted
from engine.evaluate.pool import Evaluator, Limits
from engine.evaluate.speed import LONGEST, explain_speed
from problems import ProblemRef
from tests.engine.evaluate.test_translate import EXPRESSIONS

TSP = problems.load(ProblemRef("tsp"))
DESIGN = TSP.load(TSP.design)
HEAD = f"import functools\nimport math\nimport numpy as np\n\ndef {TSP.contract.signature()}:\n"
LOOPS = """\
    best = unvisited_nodes[0]
    least = 1e9
    for a in unvisited_nodes:
        total = {start}
        for b in unvisited_nodes:
            for c in unvisited_nodes:
                total += {term}
        if {test}:
            least = total
            best = {result}
    return best
"""


def program(**parts: str) -> str:
    """Three loops over all nodes left, with these parts."""
    usual = {
        "start": "0.0",
        "term": "distance_matrix[a, b] * distance_matrix[b, c]",
        "test": "total < least",
        "result": "a",
    }
    return HEAD + LOOPS.format(**{**usual, **parts})


def explain(code: str, count: int = len(DESIGN), seconds: float = 240.0) -> str:
    """What is said of a program on the first instances of the design set."""
    return explain_speed(TSP, code, DESIGN[:count], seconds)


def test_loops_over_numbers_are_said_to_be_compiled() -> None:
    assert explain(program()) == "compiled"


@pytest.mark.parametrize(
    ("part", "line", "what"),
    [
        ({"term": "{1: 2.0}[1]"}, 12, "a dict"),
        ({"start": "np.exp(1.0)"}, 9, "numpy.exp"),
        ({"test": "f'{total}' < '1'"}, 13, "text"),
        ({"term": "distance_matrix.mean(axis=1)[b]"}, 12, ".mean() with such arguments"),
        ({"result": "a\n        try: pass\n        finally: pass"}, 16, "try"),
    ],
)
def test_the_line_and_what_it_uses_are_named(part: dict[str, str], line: int, what: str) -> None:
    assert explain(program(**part)) == f"not compiled: line {line} uses {what}"


def test_a_decorated_helper_is_named_by_its_decorator() -> None:
    helper = "\n@staticmethod\ndef weigh(a):\n    return a\n"
    code = program(start="weigh(1)") + helper
    with pytest.raises(Unlisted, match="@staticmethod"):
        translate(ast.parse(code))


PLANNING = """\
@functools.cache
def plan(rows):
    return tuple({result})


"""


def planning(result: str) -> str:
    """A plan made once, of all distances, and a choice that nothing is compiled of."""
    loops = program().partition("):\n")[2].replace("unvisited_nodes", "range(len(rows))")
    loops = loops.replace("distance_matrix[a, b] * distance_matrix[b, c]", "rows[a] * rows[b] * c")
    head, _, choice = HEAD.partition("def ")
    plan = PLANNING.format(result=result).replace(
        "    return", loops[: loops.rindex("    ret")] + "    return"
    )
    rows = "    kept = {1: tuple(distance_matrix.ravel().tolist())}\n"
    return f"{head}{plan}def {choice}{rows}    return plan(kept[1])[0]\n"


def test_a_helper_with_a_cache_is_compiled_whatever_stands_around_it() -> None:
    assert explain(planning("[best]")) == "compiled: plan, with what it calls"
    refused = explain(planning("[{1: best}[1]]"))
    assert re.fullmatch(r"not compiled: line \d+ uses a dict", refused)


def test_a_program_that_has_little_to_do_is_told_from_which_size_on_it_is_compiled() -> None:
    few = explain(program(), count=2)
    found = re.fullmatch(
        r"not compiled: too little to do at size 50; compiled from size (\d+) on", few
    )
    assert found and int(found[1]) > 50
    light = HEAD + "    return unvisited_nodes[0]\n"
    assert explain(light) == "not compiled: too little to do at size 50"


def test_a_long_program_is_left_to_python_where_the_limit_is_short() -> None:
    assert explain(program(), seconds=1.0).endswith(
        "to compile it takes 0.86 s of 0.75 s that it may take"
    )


def test_nothing_is_said_where_nothing_is_compiled_or_the_gate_refuses() -> None:
    toy = problems.load(ProblemRef("tests/toy"))
    assert explain_speed(toy, "def f():\n    pass\n", (), 240.0) == ""
    assert explain(program(start="eval('1')")) == ""
    assert explain("def") == ""


@given(st.data())
@settings(max_examples=100)
def test_of_any_program_a_short_line_is_said(data: st.DataObject) -> None:
    code = program(
        **{name: data.draw(EXPRESSIONS) for name in ("start", "term", "test", "result")}
    )
    for each in (code, planning(data.draw(EXPRESSIONS))):
        check_said(explain(each, count=4))


def check_said(said: str) -> None:
    """One line of bounded length, which begins as all do."""
    assert said == "" or said.partition(":")[0] in ("compiled", "not compiled")
    assert said.isprintable() and len(said) <= LONGEST + len("not compiled: ")


@given(st.text(max_size=300))
@settings(max_examples=100)
def test_of_any_text_at_all_nothing_worse_is_said(text: str) -> None:
    assert explain(text, count=1).isprintable()
    assert explain(program() + "\n" + text, count=1).isprintable()


async def test_a_program_that_is_too_slow_hears_what_keeps_it_from_the_compiler() -> None:
    code = program(start="len({a: 0}) - 1.0")
    async with Evaluator.start(ProblemRef("tsp"), Limits(1, 512), workers=1) as evaluator:
        failure = (await evaluator.evaluate(code, TSP.design)).failure
    assert failure is not None
    assert failure.kind == "timeout"
    assert failure.message.endswith(f"times too slow; {explain(code)}")
    assert "line 9 uses a dict" in failure.message
