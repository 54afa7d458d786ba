"""Briefs from cases, and what the built-in writer makes of a brief."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

import pytest

import problems
from engine.domain.values import (
    Brief,
    Candidate,
    Case,
    ChoiceProfile,
    Diagnostics,
    Facts,
    FieldProfile,
    Recipe,
    Request,
    Span,
)
from engine.llm.builtin import Builtin
from engine.llm.builtin.analyst import NOTHING, UNRELATED, Hint, find_hints, find_separators
from engine.llm.builtin.edits import Craft, draw_size
from engine.llm.builtin.measure import measure
from engine.llm.builtin.programs import parse_program
from engine.llm.builtin.trees import Term, add, parts_of
from engine.llm.builtin.vocabulary import Grammar
from engine.search.brief_parser import parse_briefs
from tests.engine.llm.family import ask, candidate, child, question

JSSP = problems.load("jssp")
MWKR = "def score(feature, state):\n    return feature.remaining_work\n"


def case(chosen: dict[str, float], preferred: dict[str, float], step: int = 0) -> Case:
    return Case(0, step, 0.5, 5, 1, 2, 0.4, tuple(chosen.items()), tuple(preferred.items()))


def cases(earlier: int, later: int) -> tuple[Case, ...]:
    """Disagreements in which the teacher starts earlier, and some in which it starts later."""
    return tuple(
        case(
            {"job_id": 1, "earliest_start": 50, "remaining_work": 300, "processing_time": 9},
            {"job_id": 2, "earliest_start": start, "remaining_work": 300, "processing_time": 9},
        )
        for start in [10] * earlier + [90] * later
    )


def parent(found: Sequence[Case] = (), code: str = MWKR) -> Candidate:
    return candidate(code, Diagnostics(0.3, 0.1, 0.01, None, None, 64, 0, 0, tuple(found)))


def habit(place: float) -> Facts:
    """Of a program that starts the earlier, the lower the place, and does not mind durations."""
    spans = {"earliest_start": Span(0, 99, 50, place), "processing_time": Span(1, 99, 50, 0.5)}
    fields = tuple(FieldProfile(name, (span,) * 3) for name, span in spans.items())
    return Facts(ChoiceProfile(36, 6, fields))


def writer() -> Builtin:
    return Builtin(JSSP.contract, JSSP.seeds())


def analysis(population: Sequence[Candidate]) -> dict[str, str]:
    """The briefs for s, p and m, as the engine parses them out of the reply."""
    recipes = tuple(Recipe(1, k, name, tuple(population)) for k, name in enumerate("spm"))
    request = Request("analyzer", "analyzer", (), recipes, tuple(population))
    slots = {k: name for k, name in enumerate("spm", start=1)}
    briefs = parse_briefs(ask(writer(), request), slots).briefs
    return {name: briefs[slot] for slot, name in slots.items() if slot in briefs}


def test_a_brief_names_the_field_that_separates_the_choices_and_its_direction() -> None:
    briefs = analysis([parent(cases(earlier=8, later=2))])
    assert set(briefs) == {"s", "p", "m"}
    assert "80% of them the teacher's choice has lower `earliest_start`" in briefs["s"]


def test_labels_and_equal_fields_separate_nothing() -> None:
    briefs = analysis([parent(cases(earlier=8, later=2))])
    assert all("job_id" not in text and "processing_time" not in text for text in briefs.values())


def test_a_field_that_points_both_ways_is_not_mentioned() -> None:
    assert set(analysis([parent(cases(earlier=5, later=5))]).values()) == {NOTHING}


def test_too_few_cases_say_nothing() -> None:
    assert set(analysis([parent(cases(earlier=3, later=0))]).values()) == {NOTHING}


def test_a_program_without_diagnostics_gets_a_brief_all_the_same() -> None:
    assert set(analysis([candidate(MWKR)]).values()) == {UNRELATED}


def test_without_a_teacher_it_tells_what_the_better_half_chooses_otherwise() -> None:
    population = [
        replace(candidate(MWKR), id=f"p{k}", cost=float(k), facts=habit(place=k / 8))
        for k in range(8)
    ]
    briefs = analysis(population)
    assert all("those that cost less choose lower `earliest_start`" in b for b in briefs.values())
    assert all("processing_time" not in brief for brief in briefs.values())


def test_the_clearest_field_comes_first() -> None:
    both = [
        case({"op_index": 3, "earliest_start": 5}, {"op_index": 2, "earliest_start": s})
        for s in (1, 1, 1, 1, 9)
    ]
    assert [f.name for f in find_separators(both, JSSP.contract)] == ["op_index", "earliest_start"]


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        ("In 80% of them the teacher's choice has lower `earliest_start`.", -1),
        ("The teacher picks operations with a larger earliest start.", 1),
        ("It looks at feature.earliest_start.", 0),
        ("Lower work. Then earliest_start.", 0),
    ],
)
def test_a_hint_is_a_word_with_the_direction_said_before_it(text: str, direction: int) -> None:
    assert find_hints(text, writer().vocabulary) == (Hint("feature.earliest_start", direction),)


def test_a_brief_of_other_words_gives_no_hints() -> None:
    assert find_hints("Be bold; be short.", writer().vocabulary) == ()


def test_the_analysts_own_brief_is_understood() -> None:
    text = analysis([parent(cases(earlier=8, later=2))])["s"]
    assert find_hints(text, writer().vocabulary) == (Hint("feature.earliest_start", -1),)


def test_structural_edits_follow_a_brief_more_often_than_chance() -> None:
    brief = Brief("The teacher's choice has lower `machine_queue_len`.", "s")
    told, untold = (_share_of_queues(advice) for advice in (brief, None))
    assert told > untold + 0.05


def _share_of_queues(brief: Brief | None) -> float:
    """Share of the children that count a longer queue against an operation."""
    found = 0
    for draw in range(200):
        made = child(writer(), question("s", [parent()], draw, brief))
        draft = parse_program(made.code, JSSP.contract)
        assert draft is not None
        queue = Term("feature.machine_queue_len")
        found += any(weight < 0 and part == queue for weight, part in parts_of(draft.score))
    return found / 200


def test_calibration_moves_a_weight_the_way_a_brief_says() -> None:
    code = "def score(feature, state):\n    return feature.remaining_work - feature.op_index\n"
    brief = Brief("Prefer more `op_index`.", "p")
    higher = 0
    for draw in range(100):
        made = child(writer(), question("p", [parent((), code)], draw, brief))
        draft = parse_program(made.code, JSSP.contract)
        assert draft is not None
        weights = {part: weight for weight, part in parts_of(draft.score)}
        higher += weights[Term("feature.op_index")] > -weights[Term("feature.remaining_work")]
    assert higher > 55


def test_cases_bring_new_weights_to_the_scale_of_the_score() -> None:
    """A count that differs by 1 needs a large weight beside a work that differs by 300."""
    wide = [
        case(
            {"remaining_work": 100, "machine_queue_len": 1},
            {"remaining_work": 400, "machine_queue_len": 2},
        )
    ]
    told, untold = _sizes_of_queue_weights(parent(wide)), _sizes_of_queue_weights(parent())
    assert median(told) > 10 * median(untold)


def _sizes_of_queue_weights(parent: Candidate) -> list[float]:
    vocabulary = writer().vocabulary
    craft = Craft(Grammar(vocabulary), random.Random(0), measure([parent], vocabulary))
    work, queue = Term("feature.remaining_work"), Term("feature.machine_queue_len")
    return [draw_size(work, queue, craft) for _ in range(100)]


def test_scores_that_rank_every_seen_action_alike_are_known_to_agree() -> None:
    seen = measure([parent(cases(earlier=4, later=0))], writer().vocabulary)
    start, work = Term("feature.earliest_start"), Term("feature.remaining_work")
    assert seen.agree(start, add([(3.0, start), (0.1, work)]))
    assert not seen.agree(start, add([(-1.0, start)]))


def test_nothing_is_known_to_agree_without_cases() -> None:
    start = Term("feature.earliest_start")
    assert not measure([parent()], writer().vocabulary).agree(start, start)
