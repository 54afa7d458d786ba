"""Events as progress lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.domain.events import Event
from tui.text.narration import Narrator

if TYPE_CHECKING:
    from engine.domain.events import Scalar


def candidate(**facts: Scalar) -> Event:
    """The event of a finished candidate of generation 3."""
    told: dict[str, Scalar] = {"program": "p0031", "operator": "m", "cost": None}
    told |= {"agreement": None, "failure": None, "message": None, **facts}
    return Event("candidate", 3, 0, tuple(told.items()))


def tell(event: Event) -> str | None:
    """The line for an event that comes out of nowhere."""
    return Narrator(teacher=True).tell(event)


def test_a_candidate_is_told_by_operator_generation_cost_and_agreement() -> None:
    told = tell(candidate(cost=1871.234, agreement=0.2141))
    assert told == "p0031 m gen 3 cost 1871.23 agreement 0.214"


def test_without_a_teacher_agreement_is_not_mentioned() -> None:
    assert tell(candidate(cost=1871.0)) == "p0031 m gen 3 cost 1871"


def test_a_failure_is_told_by_kind_and_message() -> None:
    told = tell(candidate(failure="timeout", message="60 CPU seconds are over"))
    assert told == "p0031 m gen 3 failed: timeout, 60 CPU seconds are over"


def evaluated(cost: float | None, failure: str | None = None) -> Event:
    """A program's cost is known."""
    facts: dict[str, Scalar] = {"program": "p0031", "operator": "m", "cost": cost}
    return Event("evaluated", 3, 0, (*facts.items(), ("failure", failure)))


def diagnosed(cost: float, agreement: float) -> Event:
    """The teacher has spoken."""
    facts: dict[str, Scalar] = {"program": "p0031", "operator": "m", "cost": cost}
    return Event("diagnosed", 3, 0, (*facts.items(), ("agreement", agreement)))


def test_a_candidate_is_told_as_soon_as_the_teacher_has_spoken_and_only_once() -> None:
    narrator = Narrator(teacher=True)
    assert narrator.tell(evaluated(1871.0)) is None
    assert narrator.tell(diagnosed(1871.0, 0.25)) == "p0031 m gen 3 cost 1871 agreement 0.250"
    assert narrator.tell(candidate(cost=1871.0, agreement=0.25)) is None


def test_without_a_teacher_a_candidate_is_told_once_evaluated() -> None:
    narrator = Narrator(teacher=False)
    assert narrator.tell(evaluated(1871.0)) == "p0031 m gen 3 cost 1871"
    assert narrator.tell(candidate(cost=1871.0)) is None


def test_a_failure_found_later_is_told_after_the_cost() -> None:
    narrator = Narrator(teacher=False)
    narrator.tell(evaluated(1871.0))
    told = narrator.tell(candidate(failure="duplicate", message="the same program as p0002"))
    assert told == "p0031 m gen 3 failed: duplicate, the same program as p0002"


def test_a_failed_evaluation_waits_for_its_message() -> None:
    narrator = Narrator(teacher=False)
    assert narrator.tell(evaluated(None, "timeout")) is None


def test_a_generation_that_leaves_nobody_is_told_as_such() -> None:
    facts: dict[str, Scalar] = {
        "best": None,
        "cost": None,
        "agreement": None,
        "survivors": 0,
        "calls": 4,
    }
    told = tell(Event("generation-closed", 0, None, tuple(facts.items())))
    assert told == "generation 0 closed: no program yet, 0 programs, 4 calls"


def test_a_kind_of_event_from_a_later_version_is_still_told() -> None:
    event = Event("provider-down", 2, None, (("wait", 30), ("status", 503)))
    assert tell(event) == "provider-down in generation 2: wait 30, status 503"


def test_steps_on_the_way_to_a_candidate_go_without_saying() -> None:
    assert tell(Event("call-sent", 1, 0, (("purpose", "program"),))) is None


def answered(purpose: str) -> Event:
    """A writer has answered."""
    return Event("call-answered", 1, 0, (("purpose", purpose),))


def briefed(count: int) -> Event:
    """Slots have their briefs."""
    return Event("briefs", 1, None, (("count", count),))


def test_briefs_are_told_by_what_was_thought_over() -> None:
    narrator = Narrator(teacher=True)
    narrator.tell(answered("analyzer"))
    assert narrator.tell(briefed(5)) == "generation 1: 5 briefs from the analyzer"


def test_hints_on_pairs_and_what_is_remembered_are_no_briefs_of_an_analyzer() -> None:
    narrator = Narrator(teacher=False)
    for purpose in ("short-term", "short-term", "program", "program"):
        narrator.tell(answered(purpose))
    assert narrator.tell(briefed(2)) == "generation 1: hints from comparing 2 pairs of parents"
    narrator.tell(answered("long-term"))
    assert "taught so far, remembered" in str(narrator.tell(briefed(4)))
    narrator.tell(Event("generation-opened", 2))
    narrator.tell(answered("short-term"))
    assert "comparing 1 pair of" in str(narrator.tell(briefed(1)))


def test_briefs_whose_asking_nobody_saw_are_counted() -> None:
    assert tell(briefed(1)) == "generation 1: 1 brief"
