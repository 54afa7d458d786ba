"""What a user reads of a mistake in her own teacher: its line, and what the seam says of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import problems
import teachers
from problems import ProblemRef
from problems.errors import PreceptorError
from problems.own_code import Overlong, blame_overlong, limited
from teachers.conformance import ask, decisions
from tests.conftest import ROOT, TOY

VERDICTS = "return [verdict(one.actions, self._scores(one)) for one in decisions]"
SCORES = "return [score(one) for one in numbers]"
ASKED = "    def verdicts(self, decisions: Sequence[Decision]) -> list[Verdict]:"
SMALLEST = "return -next(iter(numbers.values()))"

MISTAKES = {
    "a syntax error": ("class Teacher:", "class Teacher", "class Teacher", "SyntaxError"),
    "a package that is not there": (
        "from typing import TYPE_CHECKING\n",
        "import no_such_network\nfrom typing import TYPE_CHECKING\n",
        "import no_such_network",
        "ModuleNotFoundError: No module named 'no_such_network'",
    ),
    "a teacher that cannot be built": (
        "self.problem = problem.name",
        "self.problem = problem.title",
        "self.problem = problem.title",
        "AttributeError: 'Toy' object has no attribute 'title' in __init__()",
    ),
    "a teacher of nothing": (
        "def __init__(self, problem: Problem, device: str)",
        "def __init__(self, problem: Problem)",
        "class Teacher:",
        "takes 2 positional arguments but 3 were given",
    ),
    "no fingerprint": (
        '    fingerprint = "1"',
        '    version = "1"',
        "class Teacher:",
        "no fingerprint; the seam says of fingerprint: Weights hash",
    ),
    "a name that is a number": (
        '    name = "smallest-first"',
        "    name = 1",
        "    name = 1",
        "name is int 1, not a text",
    ),
    "no verdicts": ("def verdicts(", "def judge(", "class Teacher:", "no verdicts(decisions)"),
    "nothing returned": (VERDICTS, "self", ASKED, "verdicts() returned None, not a list"),
    "too few verdicts": (VERDICTS, f"{VERDICTS}[1:]", ASKED, "returned 5 verdicts for 6"),
    "scores in the place of verdicts": (
        VERDICTS,
        "return [self._scores(one) for one in decisions]",
        ASKED,
        "in place of a Verdict for decision 0",
    ),
    "an action that is not feasible": (
        VERDICTS,
        "return [Verdict(99, None) for one in decisions]",
        ASKED,
        "returned preferred=99, which is not feasible, for decision 0",
    ),
    "too few scores": (
        SCORES,
        "return [score(one) for one in numbers][1:]",
        "return [verdict(one.actions",
        "feasible actions in verdicts(); the seam says of verdicts: One verdict per decision",
    ),
    "too few scores in a verdict": (
        VERDICTS,
        "return [Verdict(one.chosen, (0.0,)) for one in decisions]",
        ASKED,
        "returned 1 scores for",
    ),
    "scores as text": (
        VERDICTS,
        "return [Verdict(one.chosen, ('a',) * len(one.actions)) for one in decisions]",
        ASKED,
        "returned 'a' as a score for decision 0",
    ),
    "a score that is not finite": (
        VERDICTS,
        "return [Verdict(one.chosen, (float('nan'),) * len(one.actions)) for one in decisions]",
        ASKED,
        "returned float nan as a score, which is not finite for decision 0",
    ),
    "a preferred action that is no whole number": (
        VERDICTS,
        "return [Verdict(float(one.chosen), None) for one in decisions]",
        ASKED,
        "not a whole number, for decision 0",
    ),
    "one number in place of scores": (
        VERDICTS,
        "return [Verdict(one.chosen, 1.0) for one in decisions]",
        ASKED,
        "returned float 1.0 as scores, not a number for each action, for decision 0",
    ),
    "an error in a score": (
        SMALLEST,
        "return numbers['no such number']",
        "return numbers['no such number']",
        "KeyError: 'no such number' in score(); the seam says of verdicts: One verdict per",
    ),
    "an endless loop": (
        SMALLEST,
        "while True: pass",
        "while True: pass",
        "stopped after 0.3 CPU seconds in score()",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_line_at_fault_is_named(mistake: str, tmp_path: Path) -> None:
    old, new, blamed, words = MISTAKES[mistake]
    file = tmp_path / "expert.py"
    text = (ROOT / "tui/template/teacher/teacher.py").read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")
    told = complain(file)
    line = next(
        n for n, line in enumerate(file.read_text("utf-8").splitlines(), 1) if blamed in line
    )
    assert words in told
    assert "\n" not in told
    assert re.match(rf"\S*/expert\.py:{line}: ", told), (line, told)


@pytest.mark.parametrize(
    "answer",
    [
        "verdict(one.actions, numpy.array(self._scores(one)))",
        "verdict(one.actions, torch.tensor(self._scores(one), dtype=torch.float64))",
        "Verdict(numpy.int64(one.actions[-1]), numpy.array(self._scores(one), numpy.float32))",
        "Verdict(one.actions[-1], [*map(numpy.float64, self._scores(one))])",
    ],
)
def test_numbers_of_numpy_and_torch_become_pythons_own(answer: str, tmp_path: Path) -> None:
    file = tmp_path / "expert.py"
    text = (ROOT / "tui/template/teacher/teacher.py").read_text("utf-8")
    text = text.replace(VERDICTS, f"return [{answer} for one in decisions]")
    file.write_text(text.replace("class Teacher", "import numpy\nimport torch\nclass Teacher"))
    toy = problems.load(TOY)
    asked = decisions(toy, toy.load("design")[:1])
    found = ask(teachers.load(f"{file}:Teacher", ProblemRef(TOY), "cpu"), asked)
    assert [type(one.preferred) for one in found] == [int] * len(asked)
    plain = (one for verdict in found for one in verdict.scores or ())
    assert {type(one) for one in plain} == {float}


def complain(file: Path) -> str:
    """What is said of a teacher when it is loaded and asked."""
    toy = problems.load(TOY)
    asked = decisions(toy, toy.load("design")[:1])
    try:
        with limited(0.3):
            ask(teachers.load(f"{file}:Teacher", ProblemRef(TOY)), asked)
    except PreceptorError as error:
        return str(error)
    except Overlong as error:
        return blame_overlong(error, 0.3, "nothing")
    raise AssertionError("nothing is wrong")
