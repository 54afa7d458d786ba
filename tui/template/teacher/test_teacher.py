"""The contract suite over this teacher: run it with `python -m pytest` in this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from teacher import Teacher

from preceptor import TEACHER_CHECKS, decisions, load_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from preceptor import Decision

PROBLEM = load_problem("jssp")  # yours: a name, or the path of a folder


@pytest.mark.parametrize("check", TEACHER_CHECKS, ids=lambda check: check.__name__)
def test_the_teacher_keeps_the_contract(
    check: Callable[[Teacher, Sequence[Decision]], None],
) -> None:
    check(Teacher(PROBLEM, "auto"), decisions(PROBLEM, PROBLEM.load("random-6x6")[:2]))
