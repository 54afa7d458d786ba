"""The red team's programs are programs, and the ordinary ones are pure and run."""

from __future__ import annotations

import ast
import math
import warnings
from collections import Counter

from tests.engine.evaluate.red_team import PROGRAMS
from tests.engine.evaluate.red_team.asking import DECISIONS, ask
from tests.engine.evaluate.red_team.ordinary import ORDINARY
from tests.engine.evaluate.red_team.trick import Trick

HEAVY = "text that is heavy on the gate"


def name(one: Trick) -> str:
    """How a test calls a program."""
    return f"{one.kind}-{one.name}"


def test_no_two_programs_have_the_same_name() -> None:
    names = Counter(map(name, (*PROGRAMS, *ORDINARY)))
    assert [word for word, count in names.items() if count > 1] == []


def test_every_program_is_python_unless_it_is_meant_to_break_the_parser() -> None:
    broken = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for one in (*PROGRAMS, *ORDINARY):
            try:
                ast.parse(one.code)
            except (RecursionError, MemoryError):
                broken.add(one.kind)
            except SyntaxError:
                broken.add(name(one))
    assert broken <= {HEAVY}


def test_ordinary_programs_answer_alike_in_any_order_and_with_finite_numbers() -> None:
    wrong = []
    for one in ORDINARY:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            said = ask(one.contract, one.code, 0)
            again = ask(one.contract, one.code, 1)
        words = [word for words in said for word in words.replace(" of", "").split()]
        if len(said) != DECISIONS or said != again or not all(map(_is_finite, words)):
            wrong.append((name(one), said[DECISIONS:]))
    assert wrong == []


def _is_finite(word: str) -> bool:
    return math.isfinite(float(word))
