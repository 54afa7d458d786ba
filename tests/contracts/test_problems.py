"""The contract suite of problems, run over every problem there is, the examples and a toy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import problems
from problems import ProblemRef
from problems.base import Problem
from problems.conformance import CHECKS
from problems.errors import UnknownName
from tests.contracts.variants import REFS, label

ROOT = Path(__file__).parents[2]
OWN = (ROOT / "tests/toy", *sorted(file.parent for file in ROOT.glob("examples/*/problem.py")))
"""Problems as a third party writes them."""


@pytest.fixture(scope="module", params=[*REFS, *(ProblemRef(str(one)) for one in OWN)], ids=label)
def problem(request: pytest.FixtureRequest) -> Problem:
    return problems.load(request.param)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_every_problem_keeps_the_contract(
    problem: Problem, check: Callable[[Problem], None]
) -> None:
    check(problem)


@pytest.mark.parametrize(
    ("name", "option", "nearest"),
    [("tsp", "nit", "nint"), ("maxcut", "stpes", "steps"), ("cvrp", "dept", "depot")],
)
def test_an_unknown_option_names_the_nearest_one(name: str, option: str, nearest: str) -> None:
    with pytest.raises(UnknownName, match=f"option of {name} '{option}'; .*'{nearest}'"):
        problems.load(ProblemRef(name, ((option, "1"),)))
