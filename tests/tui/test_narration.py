"""Events as progress lines."""

from __future__ import annotations

from engine.rows import Event
from tui.narration import narrate


def candidate(**facts: object) -> Event:
    """The event of a finished candidate of generation 3."""
    told = {"program": "p0031", "operator": "m", "cost": None, "agreement": None}
    told |= {"failure": None, "message": None} | facts
    return Event("candidate", 3, 0, tuple(told.items()))  # type: ignore[arg-type]


def test_a_candidate_is_told_by_operator_generation_cost_and_agreement() -> None:
    told = narrate(candidate(cost=1871.234, agreement=0.2141))
    assert told == "p0031 m gen 3 cost 1871.23 agreement 0.214"


def test_without_a_teacher_agreement_is_not_mentioned() -> None:
    assert narrate(candidate(cost=1871.0)) == "p0031 m gen 3 cost 1871"


def test_a_failure_is_told_by_kind_and_message() -> None:
    told = narrate(candidate(failure="timeout", message="60 CPU seconds are over"))
    assert told == "p0031 m gen 3 failed: timeout, 60 CPU seconds are over"


def test_a_generation_that_leaves_nobody_is_told_as_such() -> None:
    facts = {"best": None, "cost": None, "agreement": None, "survivors": 0, "calls": 4}
    told = narrate(Event("generation-closed", 0, None, tuple(facts.items())))
    assert told == "generation 0 closed: no program yet, 0 programs, 4 calls"


def test_a_kind_of_event_from_a_later_version_is_still_told() -> None:
    event = Event("provider-down", 2, None, (("wait", 30), ("status", 503)))
    assert narrate(event) == "provider-down in generation 2: wait 30, status 503"


def test_steps_on_the_way_to_a_candidate_go_without_saying() -> None:
    assert narrate(Event("call-sent", 1, 0, (("purpose", "program"),))) is None
