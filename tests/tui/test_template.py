"""A problem out of functions: `preceptor.problem`."""

from __future__ import annotations

import linecache
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import preceptor
from problems.errors import UserError

LONGEST = 3


def measure(solution: list[float]) -> float:
    """The distance from the origin."""
    return math.hypot(*solution[:LONGEST])


def evaluate_length(solution: list[float], most: float = 9.0) -> dict[str, Any]:
    """How near to the origin a point lies, and where it is not to be."""
    length = measure(solution)
    return {"length": length, "message": "" if length < most else "too far"}


def start(instance: float, seed: int) -> list[float]:
    """A point."""
    return [min(1.0, instance), 2.0, 2.0]


def test_functions_bring_what_they_read_of_their_file(tmp_path: Path) -> None:
    folder = tmp_path / "point"
    made = preceptor.problem(
        evaluate_length, [start], folder, task="Go home.", metric="length", instances=(4.0, 2.5)
    )
    assert made == str(folder)
    text = (folder / "evaluator.py").read_text()
    assert "LONGEST = 3" in text
    assert "def measure(" in text
    assert "import math" in text
    assert "def start(" not in text
    assert "INSTANCES = (4.0, 2.5)" in text
    problem = preceptor.load_problem(made)
    assert problem.contract.task == "Go home."
    assert not problem.contract.scipy
    assert preceptor.evaluate(made, "seed", store=tmp_path / "a.db").mean == 3.0


def test_texts_are_first_programs_and_scipy_may_be_imported(tmp_path: Path) -> None:
    programs = ["def solve(seed):\n    return [1.0]\n", "def solve(seed):\n    return [2.0]\n"]
    made = preceptor.problem(measure, programs, tmp_path / "point", scipy=True, maximize=True)
    problem = preceptor.load_problem(made)
    assert [(rule.name, rule.code) for rule in problem.seeds()] == [
        ("seed", programs[0]),
        ("seed1", programs[1]),
    ]
    assert problem.contract.scipy
    assert problem.objective(1.0) == -1.0


def in_a_cell(text: str, **known: object) -> Callable[..., Any]:
    """The function `evaluate` of a notebook's cell, where other cells have made what is known."""
    file = f"<cell {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {**known}
    exec(compile(text, file, "exec"), names)
    found: Callable[..., Any] = names["evaluate"]
    return found


def around(most: float) -> Callable[[list[float]], float]:
    """A function that reads a variable of another one."""

    def evaluate(solution: list[float]) -> float:
        return min(most, *solution)

    return evaluate


CELL = (
    "import math\n\nLEAST = 0.0\n\n\ndef evaluate(solution):\n    return max(LEAST, *solution)\n"
)


def test_a_cell_is_a_file_of_its_own(tmp_path: Path) -> None:
    made = preceptor.problem(
        in_a_cell(CELL, other=1), ["def solve(seed): ..."], tmp_path / "point"
    )
    assert made == str(tmp_path / "point")
    text = (tmp_path / "point/evaluator.py").read_text()
    assert text == CELL.removeprefix("import math\n\n")


@pytest.mark.parametrize(
    ("evaluate", "seeds", "instances", "reason"),
    [
        (in_a_cell(CELL.replace("max(", "low(max, "), low=0), ["..."], None, "reads low, which"),
        (around(2.0), ["..."], None, "reads most of the function around it"),
        (lambda solution: 0.0, ["..."], None, "a lambda has no text of its own"),
        (measure, [], None, "give the search a first program"),
        (measure, ["..."], [object()], "instances are numbers, texts, lists"),
        (measure, ["..."], [math.nan], "instances are numbers, texts, lists"),
    ],
)
def test_what_cannot_be_written_down_is_refused(
    evaluate: Callable[..., Any],
    seeds: list[str],
    instances: list[object] | None,
    reason: str,
    tmp_path: Path,
) -> None:
    with pytest.raises(UserError, match=reason):
        preceptor.problem(evaluate, seeds, tmp_path / "point", instances=instances)
    assert not (tmp_path / "point").exists()
