"""When prompts leave the teacher out, from which generation on, and with which reason."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from engine.domain.names import LEFT_OUT, TEACHER_WORD
from engine.domain.search_state import SearchState
from engine.domain.specs.settings import Settings
from engine.domain.values import Advice, Candidate, Diagnostics, Landmarks
from engine.search.methods.methods import OURS, PRECEPTOR
from engine.search.teacher_choice import reason_to_leave_out, use_teacher
from tests.engine.builders import candidate, diagnostics
from tests.engine.search.memory import InMemoryEnvironment, healthy, run


@dataclass
class World(InMemoryEnvironment):
    """A teacher that reaches this cost itself, None where it is not known."""

    alone: float | None = None
    told: list[tuple[str, str]] = field(default_factory=list)

    @property
    def landmarks(self) -> Landmarks:
        """As given."""
        return Landmarks((), self.alone)

    def note(self, kind: str, generation: int, slot: int | None, text: str) -> None:
        """Remember what was said."""
        self.told.append((kind, text))


def world(alone: float | None, every: int = 1) -> World:
    """A search by preceptor."""
    return World(PRECEPTOR, Settings(teacher_every=every), alone=alone)


def advised(slot: int, cost: float, advice: tuple[int, float]) -> Candidate:
    """A program to which the teacher gave so many pieces of advice, of that mean gain."""
    count, gain = advice
    found = replace(diagnostics(0.5), advice=Advice(count, 0, 0, gain, 0.01))
    return replace(candidate(slot, cost), diagnostics=found)


def state(*population: Candidate) -> SearchState:
    """What a generation begins with."""
    return SearchState(0, population, population)


def test_a_teacher_is_left_out_once_the_best_program_costs_less_than_it_does() -> None:
    weak, strong = world(1758.25), world(1751.0)
    population = [advised(1, 1800.0, (20, 0.01)), advised(2, 1751.25, (20, 0.01))]
    reason = "best program p0002 1751.25 beats its 1758.25"
    assert reason_to_leave_out(weak, population, 3) == reason
    assert reason_to_leave_out(strong, population, 3) == ""
    assert reason_to_leave_out(world(1751.25), population, 3) == "", "an equal one is not beaten"
    assert reason_to_leave_out(world(None), population, 3) == "", "what it costs is not known"


def test_advice_counts_by_the_mean_of_all_that_was_checked_with_the_population() -> None:
    many_harm = [advised(1, 9.0, (30, -0.02)), advised(2, 8.0, (10, 0.04))]
    assert reason_to_leave_out(world(1.0), many_harm, 1) == "", "-0.500 ± 0.791 may be chance"
    more_harm = [advised(1, 9.0, (30, -0.02)), advised(2, 8.0, (10, 0.02))]
    reason = "following its checked advice costs 1.000 ± 0.791 % more (0 helped, 0 harmed of 40)"
    assert reason_to_leave_out(world(1.0), more_harm, 1) == reason
    few_harm = [advised(1, 9.0, (10, -0.02)), advised(2, 8.0, (30, 0.02))]
    assert reason_to_leave_out(world(1.0), few_harm, 1) == ""
    assert reason_to_leave_out(world(1.0), [candidate(1, 9.0, 0.5)], 1) == "", "none was checked"
    assert reason_to_leave_out(world(1.0), [], 1) == ""


def test_a_teacher_is_judged_in_generations_in_which_it_is_asked() -> None:
    rested = world(1758.25, every=3)
    population = [advised(1, 1700.0, (20, -0.01))]
    assert [bool(reason_to_leave_out(rested, population, g)) for g in range(1, 7)] == [
        False, False, True, False, False, True,
    ]  # fmt: skip


def test_once_left_out_it_stays_out_and_is_told_once() -> None:
    one = world(1.0)
    first, used = use_teacher(one, state(advised(1, 9.0, (20, 0.01))), 1)
    assert (first.left_out, used) == (False, True)
    harmed = replace(first, population=(advised(1, 9.0, (20, -0.02)),))
    second, used = use_teacher(one, harmed, 2)
    assert (second.left_out, used) == (True, False)
    helped = replace(second, population=(advised(1, 9.0, (20, 0.05)),))
    third, used = use_teacher(one, helped, 3)
    assert (third.left_out, used) == (True, False)
    assert one.told == [
        (TEACHER_WORD, "the teacher's word: following it saves 1.000 ± 1.000 %, used"),
        (
            LEFT_OUT,
            "teacher left out since generation 2: following its checked advice costs "
            "2.000 ± 1.000 % more (0 helped, 0 harmed of 20)",
        ),
    ]


@pytest.mark.parametrize(("told", "used"), [("always", True), ("", False), ("helpful", False)])
def test_prompts_that_always_tell_leave_no_teacher_out(told: str, used: bool) -> None:
    one = world(10.0)
    one.settings = Settings(prompt_teacher=told)
    assert use_teacher(one, state(advised(1, 9.0, (20, -0.05))), 1)[1] is used


def test_ours_leaves_no_teacher_out() -> None:
    one = world(10.0)
    one.method = OURS
    before = state(advised(1, 9.0, (20, -0.05)))
    assert use_teacher(one, before, 1) == (before, True)
    assert one.told == []


class Overtaken(World):
    """A teacher whose advice always helps, and which costs as much as the best seed."""

    async def diagnose(self, candidate: Candidate, evaluation: object) -> Diagnostics | None:
        """Twenty pieces of advice of every program."""
        return replace(diagnostics(0.5), advice=Advice(20, 9, 1, 0.02, 0.01))


def test_prompts_name_a_teacher_up_to_the_generation_in_which_it_is_overtaken() -> None:
    one = Overtaken(PRECEPTOR, Settings(generations=3), answer=healthy, alone=3568.0)
    run(one)
    assert [text for kind, text in one.told if kind == LEFT_OUT] == [
        "teacher left out since generation 2: best program p0005 3554.38 beats its 3568"
    ]
    named = {
        generation
        for (_, generation, _, _), request in one.asked.items()
        if "What the teacher says" in request.messages[-1].content
    }
    assert named == {1}
    assert {generation for _, generation, _, _ in one.asked} == {1, 2, 3}
    assert any(c.diagnostics for c in one.recorded if c.generation == 3), (
        "it is asked all the same"
    )
