"""The section on states, word by word: a small population whose rollouts are known."""

from __future__ import annotations

from dataclasses import replace

from engine.domain.values import (
    ActionRow,
    Candidate,
    ChoiceProfile,
    Facts,
    FieldProfile,
    Parting,
    Scene,
    Span,
)
from engine.search.prompts.context import PromptContext
from engine.search.prompts.revision import show_fields
from engine.search.prompts.states import show_partings
from tests.engine.builders import candidate

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


def test_states_show_where_a_program_parts_from_the_best() -> None:
    background = PromptContext(POPULATION, POPULATION, partings=(("p0001", "p0002", PARTED),))
    assert show_partings([OURS, BEST], background) == (
        "## States\n"
        "### Where p0001 parts from p0002: instance 0, decision 12, 25 % of the way, "
        "3 of 20 candidates\n"
        "Up to here both did the same; p0001 ends at 110, p0002 at 90. "
        "The same for all: elapsed 7.5.\n"
        "choice of | work | queue\n"
        "p0002 | 2 | 3\n"
        "p0001 | 5 | 3.25\n"
        " | 9 | 10000"
    )


def test_of_a_parting_in_the_first_tenth_nothing_is_shown() -> None:
    early = replace(PARTED, scene=replace(AT_HOME, phase=0.05))
    background = PromptContext(POPULATION, POPULATION, partings=(("p0001", "p0002", early),))
    assert show_partings([OURS], background) == ""


def test_fields_are_told_by_their_spread_and_the_places_of_choices() -> None:
    assert show_fields(OURS, PromptContext(POPULATION, POPULATION)) == (
        "## The fields of p0001\n"
        "field | spread in a state | places of p0001 | of p0002\n"
        "work | 7/7/7 | 0.10/0.25/0.50 | 0.75/0.50/0.00\n"
        "queue | 1234/1234/1234 | 1.00/1.00/1.00 | 0.00/0.00/0.00"
    )
