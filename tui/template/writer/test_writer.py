"""The contract suite over this writer: run it with `python -m pytest` in this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from writer import Writer

from preceptor import WRITER_CHECKS, load_problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from preceptor import Problem

PROBLEM = load_problem("jssp")  # yours: a name, or the path of a folder


@pytest.mark.parametrize("check", WRITER_CHECKS, ids=lambda check: check.__name__)
def test_the_writer_keeps_the_contract(check: Callable[[Writer, Problem], None]) -> None:
    check(Writer(PROBLEM), PROBLEM)
