"""Each program is described as compiled, or not, and why."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import problems
from engine.domain.values import Failure
from engine.evaluate.pool import Evaluator, Limits
from engine.evaluate.sandbox.collect import NOT_COMPILED, ChildReport, measure_again
from engine.evaluate.speed import LONGEST, explain_speed
from problems import ProblemRef

TSP = problems.load(ProblemRef("tsp"))
DESIGN = TSP.load(TSP.design)
HEAD = f"import math\nimport numpy as np\n\ndef {TSP.contract.signature()}:\n"
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
    """Three loops over all nodes left, with these parts."""
    usual = {
        "start": "0.0",
        "term": "distance_matrix[a, b] * distance_matrix[b, c]",
        "test": "total < least",
        "result": "a",
    }
    return HEAD + LOOPS.format(**{**usual, **parts})


def explain(code: str, count: int = len(DESIGN)) -> str:
    """What is said of a program on the first instances of the design set."""
    return explain_speed(TSP, code, DESIGN[:count])


def test_loops_over_numbers_are_said_to_be_compiled() -> None:
    assert explain(program()) == "compiled"


@pytest.mark.parametrize(
    ("part", "line", "what"),
    [
        ({"term": "{1: 2.0}[1]"}, 11, "`{1: 2.0}`"),
        ({"start": "np.exp(1.0)"}, 8, "numpy.exp"),
        ({"test": "'a' < 'b'"}, 12, "`'a'`"),
        ({"term": "distance_matrix.mean(axis=1)[b]"}, 11, "a call with keywords"),
        ({"result": "a\n        try: pass\n        finally: pass"}, 15, "`try:`"),
    ],
)
def test_the_line_and_what_it_uses_are_named(part: dict[str, str], line: int, what: str) -> None:
    assert explain(program(**part)) == f"run by Python, not compiled: line {line}: {what}"


def test_a_set_with_few_decisions_is_left_to_python() -> None:
    assert explain(program(), count=2) == "run by Python, not compiled: fewer than 2000 decisions"


def test_nothing_is_said_where_nothing_is_compiled_or_the_gate_refuses() -> None:
    toy = problems.load(ProblemRef("tests/toy"))
    assert explain_speed(toy, "def f():\n    pass\n", ()) == ""
    assert explain(program(start="eval('1')")) == ""
    assert explain("def") == ""


@given(st.data())
@settings(max_examples=100)
def test_of_any_program_a_short_line_is_said(data: st.DataObject) -> None:
    code = program(
        **{name: data.draw(EXPRESSIONS) for name in ("start", "term", "test", "result")}
    )
    check_said(explain(code, count=200))


def check_said(said: str) -> None:
    """One line of bounded length, which begins as all do."""
    assert said == "" or said.partition(":")[0] in ("compiled", NOT_COMPILED)
    assert said.isprintable() and len(said) <= LONGEST + len("run by Python, not compiled: ")


@given(st.text(max_size=300))
@settings(max_examples=100)
def test_of_any_text_at_all_nothing_worse_is_said(text: str) -> None:
    assert explain(text).isprintable()
    assert explain(program() + "\n" + text).isprintable()


async def test_a_program_that_is_too_slow_hears_what_keeps_it_from_the_compiler() -> None:
    code = program(start="len({a: 0}) - 1.0")
    async with Evaluator.start(ProblemRef("tsp"), Limits(1, 512), workers=1) as evaluator:
        failure = (await evaluator.evaluate(code, TSP.design)).failure
    assert failure is not None
    assert failure.kind == "timeout"
    assert failure.message.endswith(f"times too slow; {explain(code)}")
    assert "line 8: `{a: 0}`" in failure.message


def test_a_program_that_ended_too_late_hears_what_it_took() -> None:
    report = ChildReport((3, 3), [(0, 1, 2), (2, 1, 0)])
    report.cpu = 1.5
    report.hold_to_limit(0.375, Limits(1.25))
    assert report.failure is not None and report.failure.kind == "timeout"
    said = "it took 1.875 CPU seconds and may take 1.25"
    assert report.failure.message == said


LATE = Failure("timeout", "")


@pytest.mark.parametrize(
    ("cpu", "solved", "failure", "measured"),
    [
        (1.9, 4, LATE, 2),
        (1.9, 2, LATE, 2),
        (1.9, 1, LATE, 1),
        (2.1, 4, LATE, 1),
        (1.9, 4, Failure("exception", ""), 1),
        (0.9, 4, None, 1),
    ],
    ids=["late", "half done", "far from done", "far too late", "another failure", "in time"],
)
async def test_a_program_that_is_a_little_too_slow_is_measured_again(
    cpu: float, solved: int, failure: Failure | None, measured: int
) -> None:
    first = ChildReport((1,) * 4, [(0,)] * solved, failure, cpu)
    second = ChildReport((1,) * 4, [(0,)] * 4, None, 0.5)
    reports = [first, second]

    async def measure() -> ChildReport:
        return reports.pop(0)

    found = await measure_again(measure, Limits(1.0))
    assert len(reports) == 2 - measured
    assert found is (first if measured == 1 else second)


async def test_a_trial_on_larger_instances_has_seconds_of_its_own_and_compares_nothing() -> None:
    code = program(term="distance_matrix[a, b]").replace(
        "for c in unvisited_nodes", "for c in range(20)"
    )
    async with Evaluator.start(ProblemRef("tsp"), Limits(1, 512), workers=1) as evaluator:
        assert (await evaluator.evaluate(code, TSP.design)).failure is None
        (trial,) = await evaluator.try_out([code], TSP.larger, range(4), 1)
    assert trial.failure is None, trial.failure


async def test_a_word_in_a_comment_keeps_no_program_from_machine_code() -> None:
    code = program(start="np.zeros(1)[0]  # no row is empty")
    async with Evaluator.start(ProblemRef("tsp"), Limits(10, 512), workers=1) as evaluator:
        (trial,) = await evaluator.try_out([code], TSP.design, range(50), 2)
    assert trial.failure is None, trial.failure
