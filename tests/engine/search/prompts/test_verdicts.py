"""The teacher's section, word by word: a small population whose diagnostics are known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.domain.values import (
    ActionRow,
    Advice,
    Alternative,
    Case,
    ChoiceProfile,
    Diagnostics,
    Facts,
    FieldProfile,
    Landmarks,
    Opinion,
    RealFigures,
    Scene,
    Span,
)
from engine.search.prompts.verdicts import (
    FIGURES,
    LEARNED,
    REAL,
    TRIED,
    tabulate_disagreement,
    tell,
)
from tests.engine.builders import candidate

SIDES = ((("work", 5.0), ("queue", 3.25)), (("work", 2.0), ("queue", 3.25)))
CHOICES = (
    Alternative(4, 1.0, (2.0, 3.25)),
    Alternative(0, 0.8, (2.5, 3.25)),
    Alternative(6, 0.7, (3.0, 3.25)),
    Alternative(7, 0.6, (3.5, 3.25)),
    Alternative(8, 0.5, (4.0, 3.25)),
    Alternative(3, 0.4, (4.5, 3.25)),
    Alternative(1, 0.125, (5.0, 3.25)),
)
"""Seven actions of a state; the program's comes last."""

CASE = Case(2, 12, 0.25, 20, 1, 4, 0.875, *SIDES, CHOICES)
AGREED = Case(0, 3, 0.06, 20, 4, 4, 0.0, *SIDES)
SCENE = Scene(1, 30, 0.625, 9, 1, "work", ("work", "queue"), (
    ActionRow(4, (2.0, 3.0)), ActionRow(1, (5.0, 3.0)),
))  # fmt: skip
FACTS = Facts(ChoiceProfile(48, 20, ()), (SCENE,))
PLACES = (
    FieldProfile("work", (Span(0, 9, 7, 0.5, 0.0), Span(0, 9, 7, 0.5, 0.125), None)),
    FieldProfile("elapsed", (Span(0, 9, 0, None, None),) * 3),
)
SAID = Diagnostics(
    0.25, 0.1, 0.02, 0.5, 0.75, 512, 3, 0, (CASE, AGREED), ChoiceProfile(48, 20, PLACES)
)
OURS = replace(candidate(1, 105.0, costs=(90.0, 100.0, 125.0)), diagnostics=SAID, facts=FACTS)
BEST = candidate(2, 100.0, costs=(95.0, 105.0, 100.0))


def test_a_disagreement_shows_six_choices_the_teachers_best_first_and_both_of_them() -> None:
    assert tabulate_disagreement(OURS, [BEST], 0) == (
        "### Where it disagrees with p0001: instance 2, decision 12, 25 % of the way, "
        "6 of 20 candidates\n"
        "Cost of p0001 on this instance 125, of the best other program, p0002, 100.\n"
        "choice of | score | work\n"
        "teacher | 1.00 | 2\n"
        " | 0.80 | 2.5\n"
        " | 0.70 | 3\n"
        " | 0.60 | 3.5\n"
        " | 0.50 | 4\n"
        "p0001 | 0.12 | 5"
    )


def test_a_disagreement_that_was_tried_out_says_what_came_of_it() -> None:
    vain = replace(CASE, step=1, costs=(125.0, 130.0))
    tried = replace(CASE, alternatives=CHOICES[::6], costs=(125.0, 99.5))
    ours = replace(OURS, diagnostics=replace(SAID, cases=(vain, tried)))
    for draw in range(4):
        assert tabulate_disagreement(ours, [], draw) == (
            "### Where it disagrees with p0001: instance 2, decision 12, 25 % of the way, "
            "2 of 20 candidates\n"
            "The teacher's choice, then this program: 99.5 instead of 125.\n"
            "choice of | score | work\n"
            "teacher | 1.00 | 2\n"
            "p0001 | 0.12 | 5"
        )
    nothing = replace(OURS, diagnostics=replace(SAID, cases=(vain,)))
    assert tabulate_disagreement(nothing, [], 0) == ""


@pytest.mark.parametrize("draw", range(6))
def test_the_disagreement_shown_is_one_of_the_first_three(draw: int) -> None:
    cases = tuple(replace(CASE, step=step) for step in range(9))
    ours = replace(OURS, diagnostics=replace(SAID, cases=(AGREED, *cases)))
    title = tabulate_disagreement(ours, [], draw).partition(",")[2]
    assert title.partition(",")[0] in (" decision 0", " decision 1", " decision 2")


def test_the_teachers_section_has_figures_places_and_opinions() -> None:
    opinion = Opinion(4, (1.0, 0.25), (2.0, 3.0))
    real = RealFigures(0.5, 0.125, 0.03, None, None)
    said = replace(SAID, opinions=(opinion,), real=real, advice=Advice(20, 3, 1, 0.001, 0.0005))
    ours = replace(OURS, diagnostics=said)
    known = Landmarks(teacher=101.25)
    assert tell([ours, BEST], [ours, BEST], [(ours, 0)], known, "A remark.", "A table.") == (
        "## What the teacher says\n"
        f"{LEARNED} {FIGURES} Left alone it reaches a mean cost of 101.25.\n"
        f"{REAL}\n"
        "- p0001: agreement 0.250 ± 0.020 (chance 0.100), value 0.500, percentile 0.750, "
        "real agreement 0.500 ± 0.030 (chance 0.125), "
        "of 20 of its choices tried 3 lower the cost, 1 raise it, 16 change nothing "
        "(mean saving +0.100 ± 0.050 %)\n"
        f"{TRIED}\n"
        "A remark.\n"
        "Mean places of its choices in the states of p0001: work 0.00/0.12/-.\n"
        "- p0001, instance 1, decision 30: it prefers work 2; it scores the program's choice 0.25."
        "\nA table."
    )


def test_a_choice_that_the_teacher_shares_is_said_in_one_line() -> None:
    shared = replace(SAID, opinions=(Opinion(1, (0.5, 1.0), (5.0, 3.0)),), profile=None)
    ours = replace(OURS, diagnostics=shared)
    assert tell([ours], [], [(ours, 0)], Landmarks()).splitlines()[-1] == (
        "- p0001, instance 1, decision 30: it prefers the program's choice."
    )


def test_of_programs_that_no_teacher_saw_nothing_is_said() -> None:
    assert tell([BEST], [BEST], [], Landmarks(teacher=1.0), "A remark.", "A table.") == ""
