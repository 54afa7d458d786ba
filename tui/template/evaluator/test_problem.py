"""The contract suite over this problem: run it with `python -m pytest` in this folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from preceptor import PROBLEM_CHECKS, load_problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from preceptor import Problem


@pytest.mark.parametrize("check", PROBLEM_CHECKS, ids=lambda check: check.__name__)
def test_the_problem_keeps_the_contract(check: Callable[[Problem], None]) -> None:
    check(load_problem(str(Path(__file__).parent)))
