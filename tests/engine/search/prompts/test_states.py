"""The section on states, word by word: a small population whose rollouts are known."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from engine.domain.values import (
    ActionRow,
    ChoiceProfile,
    Facts,
    FieldProfile,
    Parting,
    Scene,
    Span,
)
from engine.search.prompts.context import PromptContext
from engine.search.prompts.revision import show_fields, show_states
from engine.search.prompts.states import pick_scenes
from tests.engine.builders import candidate

if TYPE_CHECKING:
    from engine.domain.values import Candidate

ROWS = (
    ActionRow(4, (2.0, 7.5, 3.0)),
    ActionRow(1, (5.0, 7.5, 3.25)),
    ActionRow(2, (9.0, 7.5, 1e4)),
)
AT_HOME = Scene(0, 12, 0.25, 20, 1, "work", ("work", "elapsed", "queue"), ROWS)
ABROAD = replace(AT_HOME, instance=1, step=30, phase=0.625, chosen=2)


def spans(name: str, spread: float, *places: float) -> FieldProfile:
    """A field whose choices lie at these places, early, in the middle and late."""
    return FieldProfile(name, tuple(Span(0, 9, spread, place) for place in places))


def member(slot: int, costs: tuple[float, ...], *fields: FieldProfile) -> Candidate:
    """A program with facts, two unusual choices among them."""
    facts = Facts(ChoiceProfile(48, 20, fields), (AT_HOME, ABROAD))
    mean = sum(costs) / len(costs)
    return replace(candidate(slot, mean, costs=costs), facts=facts)


OURS = member(
    1, (110.0, 100.0), spans("work", 7.0, 0.1, 0.25, 0.5), spans("queue", 1234.5, 1, 1, 1)
)
BEST = member(2, (90.0, 100.5), spans("work", 6.0, 0.75, 0.5, 0.0), spans("queue", 2.0, 0, 0, 0))
WORST = member(3, (95.0, 300.0), spans("work", 0.0, 0.5, 0.5, 0.5))
POPULATION = (BEST, OURS, WORST)
PARTED = Parting(AT_HOME, 4, (110.0, 90.0))


def test_states_show_where_a_program_parts_from_the_best_and_its_unusual_choices() -> None:
    background = PromptContext(POPULATION, POPULATION, partings=(("p0001", "p0002", PARTED),))
    assert show_states([OURS], background, [(OURS, 1)]) == (
        "## States\n"
        "### Where p0001 parts from p0002: instance 0, decision 12, 25 % of the way, "
        "3 of 20 candidates\n"
        "Up to here both did the same; p0001 ends at 110, p0002 at 90. "
        "The same for all: elapsed 7.5.\n"
        "choice of | work | queue\n"
        "p0002 | 2 | 3\n"
        "p0001 | 5 | 3.25\n"
        " | 9 | 10000\n"
        "\n"
        "### An unusual choice of p0001: instance 1, decision 30, 62 % of the way, "
        "3 of 20 candidates\n"
        "Cost of p0001 on this instance 100, of the best other program, p0002, 100.5. "
        "The same for all: elapsed 7.5.\n"
        "choice of | work | queue\n"
        " | 2 | 3\n"
        " | 5 | 3.25\n"
        "p0001 | 9 | 10000"
    )


def test_without_a_state_to_show_there_is_no_section() -> None:
    assert show_states([OURS], PromptContext(POPULATION, POPULATION), []) == ""


def test_fields_are_told_by_their_spread_and_the_places_of_choices() -> None:
    assert show_fields(OURS, PromptContext(POPULATION, POPULATION)) == (
        "## The fields of p0001\n"
        "field | spread in a state | places of p0001 | of p0002\n"
        "work | 7/7/7 | 0.10/0.25/0.50 | 0.75/0.50/0.00\n"
        "queue | 1234/1234/1234 | 1.00/1.00/1.00 | 0.00/0.00/0.00"
    )


@pytest.mark.parametrize("draw", range(6))
def test_scenes_of_instances_on_which_a_program_loses_come_first(draw: int) -> None:
    # what OURS costs above the mean of BEST and WORST: 17.5 on instance 0, -100.25 on instance 1
    scenes = [replace(AT_HOME, instance=k % 2, step=k) for k in range(8)]
    assert OURS.facts is not None
    many = replace(OURS, facts=replace(OURS.facts, scenes=tuple(scenes)))
    (picked,) = pick_scenes(many, [BEST, WORST], 1, draw)
    assert scenes[picked].instance == 0
