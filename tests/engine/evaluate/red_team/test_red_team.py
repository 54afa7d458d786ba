"""The red team's programs are programs, and the ordinary ones are pure and run."""

from __future__ import annotations

import ast
import math
import warnings
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.engine.evaluate.red_team import PROGRAMS
from tests.engine.evaluate.red_team.asking import DECISIONS, ask
from tests.engine.evaluate.red_team.ordinary import ORDINARY

if TYPE_CHECKING:
    from tests.engine.evaluate.red_team.trick import Trick

HEAVY = "text that is heavy on the gate"


def name(one: Trick) -> str:
    """How a test calls a program."""
    return f"{one.kind}-{one.name}"


def test_no_two_programs_have_the_same_name() -> None:
    names = Counter(map(name, (*PROGRAMS, *ORDINARY)))
    assert [word for word, count in names.items() if count > 1] == []


@pytest.mark.parametrize("one", (*PROGRAMS, *ORDINARY), ids=name)
def test_every_program_is_python_unless_it_is_meant_to_break_the_parser(one: Trick) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(one.code)
        except (RecursionError, MemoryError):
            assert one.kind == HEAVY


@pytest.mark.parametrize("one", ORDINARY, ids=name)
def test_ordinary_programs_answer_alike_in_any_order_and_with_finite_numbers(one: Trick) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        said = ask(one.contract, one.code, 0)
        again = ask(one.contract, one.code, 1)
    assert len(said) == DECISIONS, said[DECISIONS:]
    assert said == again
    scores = [float(word) for words in said for word in words.replace(" of", "").split()]
    assert all(map(math.isfinite, scores))
