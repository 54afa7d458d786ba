"""A problem that fails on an instance that nobody tried before: named, and no program's fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.evaluate.pool import Evaluator, Limits
from problems import ProblemRef
from problems.errors import BadModule
from tests.conftest import ROOT

FIRST_FIT = "def score(bin, state):\n    return -bin.index\n"
SEVENTH = "(state.instance.name == 'design/7')"
STEP = "        left = _describe_bin(state, action)"
COST = "        return float(len(state.spaces))"
SCORE = "        score = function("

FAULTS = {
    "a cost that fails": (COST, f"        1 / ({SEVENTH} - 1)\n{COST}", "ZeroDivisionError"),
    "a cost of nan": (
        COST,
        f"        if {SEVENTH}: return math.nan\n{COST}",
        "returned float nan",
    ),
    "a step that fails": (
        STEP,
        f"        if {SEVENTH} and state.placed == 9: None.x\n{STEP}",
        "AttributeError: 'NoneType' object has no attribute 'x' in step()",
    ),
    "a step that refuses what is feasible": (
        STEP,
        f"        if {SEVENTH} and state.placed == 9: raise InvalidAction('no')\n{STEP}",
        "step() refused action",
    ),
    "a step that does not end": (
        STEP,
        f"        while {SEVENTH} and state.placed == 9: pass\n{STEP}",
        "stopped, it took too long in step()",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_the_rules_are_blamed_for_what_the_rules_do(fault: str, tmp_path: Path) -> None:
    old, new, words = FAULTS[fault]
    folder = write(tmp_path / "shop", old, new)
    async with Evaluator.start(ProblemRef(str(folder)), Limits(3), 1) as evaluator:
        with pytest.raises(BadModule) as refused:
            await evaluator.evaluate(FIRST_FIT, "design")
    told = str(refused.value)
    assert f"{folder}/problem.py:" in told
    assert words in told
    assert "instance design/7" in told


async def test_a_program_is_told_of_the_line_that_stumbled_over_its_answer(
    tmp_path: Path,
) -> None:
    """What a program returns is its own doing, also where `decide` fails to refuse it."""
    folder = write(tmp_path / "shop", SCORE, "        score = 1 + function(")
    async with Evaluator.start(ProblemRef(str(folder)), Limits(), 1) as evaluator:
        code = "def score(bin, state):\n    return 'first'\n"
        found = await evaluator.evaluate(code, "design")
    assert found.failure is not None
    assert found.failure.kind == "smoke"
    assert "problem.py:" in found.failure.message
    assert "TypeError" in found.failure.message


def write(folder: Path, old: str, new: str) -> Path:
    """The template with one change."""
    folder.mkdir()
    for name in ("problem.py", "data.py"):
        text = (ROOT / "tui/template/problem" / name).read_text("utf-8")
        (folder / name).write_text(text.replace(old, new), "utf-8")
    assert new in (folder / "problem.py").read_text("utf-8")
    return folder
