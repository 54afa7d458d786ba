"""The contract suite of problems, run over every problem there is and a third party's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import problems
from problems.suite import CHECKS

if TYPE_CHECKING:
    from collections.abc import Callable

    from problems.base import Problem

TOY = str(Path(__file__).parents[1] / "toy")


@pytest.fixture(scope="module", params=[*problems.names(), TOY], ids=lambda ref: Path(ref).name)
def problem(request: pytest.FixtureRequest) -> Problem:
    return problems.load(request.param)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_every_problem_keeps_the_contract(
    problem: Problem, check: Callable[[Problem], None]
) -> None:
    check(problem)
