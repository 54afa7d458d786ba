"""The teacher's section, word by word: a small population whose diagnostics are known."""

from __future__ import annotations

from dataclasses import replace

from engine.domain.values import (
    Advice,
    Alternative,
    Case,
    ChoiceProfile,
    Diagnostics,
    FieldProfile,
    Landmarks,
    RealFigures,
    Span,
)
from engine.search.prompts.context import PromptContext
from engine.search.prompts.verdicts import (
    ALIKE,
    CASES,
    FIGURES,
    LEARNED,
    REAL,
    TRIED,
    describe,
    pick_cases,
)
from problems.base import Argument, Contract, Field
from tests.engine.builders import candidate

SIDES = ((("work", 5.0), ("queue", 3.25)), (("work", 2.0), ("queue", 3.25)))
CHOICES = (
    Alternative(4, 1.0, (2.0, 3.25)),
    Alternative(0, 0.8, (2.5, 3.25)),
    Alternative(6, 0.7, (3.0, 3.25), "same machine"),
    Alternative(1, 0.125, (5.0, 3.25)),
)
"""Four actions of a state; the program's comes last."""

CASE = Case(2, 12, 0.25, 20, 1, 4, 0.875, *SIDES, CHOICES)
AGREED = Case(0, 3, 0.06, 20, 4, 4, 0.0, *SIDES, CHOICES[:2])
PLACES = (
    FieldProfile("work", (Span(0, 9, 7, 0.5, 0.0), Span(0, 9, 7, 0.5, 0.125), None)),
    FieldProfile("weight", (Span(0, 9, 7, 0.5, 0.5),) * 3),
    FieldProfile("elapsed", (Span(0, 9, 0, None, None),) * 3),
)
SAID = Diagnostics(
    0.25, 0.1, 0.02, 0.5, 0.75, 512, 3, 0, (CASE, AGREED), ChoiceProfile(48, 20, PLACES)
)
OURS = replace(candidate(1, 105.0, costs=(90.0, 100.0, 125.0)), diagnostics=SAID)
BEST = candidate(2, 100.0, costs=(95.0, 105.0, 100.0))
CONTRACT = Contract(
    "Work.", "f", (Argument("a", "it"),), "action", "one", "less of it",
    shown=(Field("work", "time", "what is left"), Field("colour", "", "shown nowhere")),
)  # fmt: skip
PAPER = PromptContext(landmarks=Landmarks(teacher=101.25))
TABLES = (
    "### p0001 and the teacher\n"
    "places | p0001 | teacher\n"
    "work | 0.50/0.50/- | 0.00/0.12/-\n"
    "choice of | score | work\n"
    "Instance 2, decision 12, 25 % of the way, 20 candidates:\n"
    "teacher | 1.00 | 2\n"
    "same machine | 0.70 | 3\n"
    "p0001 | 0.12 | 5\n"
    "Instance 0, decision 3, 6 % of the way, 20 candidates:\n"
    "p0001 and teacher | 1.00 | 2\n"
    "next best | 0.80 | 2.5"
)


def test_the_section_has_figures_places_and_cases_with_the_rivals_of_both_choices() -> None:
    assert describe([OURS, BEST], [OURS], CONTRACT, PAPER, 0, "A remark.") == (
        "## What the teacher says\n"
        f"{LEARNED} {FIGURES}\n"
        "- p0001: agreement 0.250 ± 0.020 (chance 0.100), value 0.500, percentile 0.750\n"
        "A remark.\n"
        f"{CASES.format(ALIKE)}\n"
        "Their fields:\n"
        "- work (time): what is left\n"
        f"{TABLES}"
    )


def test_in_the_wording_of_preceptor_it_has_what_else_is_known() -> None:
    real = RealFigures(0.5, 0.125, 0.03, None, None)
    tried = replace(CASE, costs=(125.0, 99.5))
    said = replace(SAID, cases=(tried, AGREED), real=real, advice=Advice(20, 3, 1, 0.001, 0.0005))
    ours = replace(OURS, diagnostics=said)
    fuller = replace(PAPER, wording="preceptor", seen=(ours, BEST))
    told = describe([ours], [ours], CONTRACT, fuller, 0)
    assert told == (
        "## What the teacher says\n"
        f"{LEARNED} {FIGURES} Left alone it reaches a mean cost of 101.25; "
        "the best program reaches 100.\n"
        f"{REAL}\n{TRIED}\n"
        "- p0001: agreement 0.250 ± 0.020 (chance 0.100), value 0.500, percentile 0.750, "
        "real agreement 0.500 (chance 0.125), "
        "of 20 of its choices tried 3 lower the cost and 1 raise it "
        "(following them saves 0.100 ± 0.050 %)\n"
        f"{CASES.format('')}\n"
    ) + TABLES.partition("\nInstance 0")[0].replace(
        "25 % of the way, 20 candidates:",
        "25 % of the way, 20 candidates; the teacher's choice, then this program, cost 99.5 "
        "instead of 125:",
    )
    assert "real agreement" not in describe([ours], [ours], CONTRACT, PAPER, 0)


def test_a_generation_shows_a_case_of_each_third_and_the_next_one_others() -> None:
    phases = (0.1, 0.2, 0.4, 0.5, 0.7, 0.9)
    cases = tuple(replace(CASE, step=k, phase=phase) for k, phase in enumerate(phases))
    said = replace(SAID, cases=(*cases, AGREED, replace(AGREED, step=9)))
    shown = [[case.step for case in pick_cases(said, generation)] for generation in (0, 1, 2)]
    assert shown == [[0, 2, 4, 3], [1, 3, 5, 9], [0, 2, 4, 3]]


def test_of_cases_that_were_tried_out_those_that_lower_the_cost_are_shown() -> None:
    vain = replace(CASE, step=1, costs=(125.0, 130.0))
    helped = replace(CASE, costs=(125.0, 99.5))
    said = replace(SAID, cases=(vain, helped))
    assert pick_cases(said, 0) == [helped]
    assert pick_cases(replace(said, cases=(vain,)), 0) == []


def test_of_programs_that_no_teacher_saw_nothing_is_said() -> None:
    assert describe([BEST], [BEST], CONTRACT, PAPER, 0, "A remark.") == ""
