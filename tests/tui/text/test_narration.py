"""Events as progress lines."""

from __future__ import annotations

from engine.domain.events import BriefsRecorded, Event, Note, Scalar, read_fact
from tui.text.events import Narrator, event_line


def candidate(**facts: Scalar) -> Event:
    """The event of a finished candidate of generation 3."""
    told: dict[str, Scalar] = {"program": "p0031", "operator": "m", "cost": None}
    told |= {"agreement": None, "failure": None, "message": None, **facts}
    return Event(read_fact("candidate", told), 3, 0)


def tell(event: Event) -> str | None:
    """The line for an event that comes out of nowhere."""
    return Narrator(teacher=True).narrate(event)


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
    return Event(read_fact("evaluated", dict((*facts.items(), ("failure", failure)))), 3, 0)


def diagnosed(cost: float, agreement: float) -> Event:
    """The teacher has spoken."""
    facts: dict[str, Scalar] = {"program": "p0031", "operator": "m", "cost": cost}
    return Event(read_fact("diagnosed", dict((*facts.items(), ("agreement", agreement)))), 3, 0)


def test_a_candidate_is_told_as_soon_as_the_teacher_has_spoken_and_only_once() -> None:
    narrator = Narrator(teacher=True)
    assert narrator.narrate(evaluated(1871.0)) is None
    assert narrator.narrate(diagnosed(1871.0, 0.25)) == "p0031 m gen 3 cost 1871 agreement 0.250"
    assert narrator.narrate(candidate(cost=1871.0, agreement=0.25)) is None


def test_without_a_teacher_a_candidate_is_told_once_evaluated() -> None:
    narrator = Narrator(teacher=False)
    assert narrator.narrate(evaluated(1871.0)) == "p0031 m gen 3 cost 1871"
    assert narrator.narrate(candidate(cost=1871.0)) is None


def test_a_failure_found_later_is_told_after_the_cost() -> None:
    narrator = Narrator(teacher=False)
    narrator.narrate(evaluated(1871.0))
    told = narrator.narrate(candidate(failure="duplicate", message="the same program as p0002"))
    assert told == "p0031 m gen 3 failed: duplicate, the same program as p0002"


def test_a_failed_evaluation_waits_for_its_message() -> None:
    narrator = Narrator(teacher=False)
    assert narrator.narrate(evaluated(None, "timeout")) is None


def test_a_generation_that_leaves_nobody_is_told_as_such() -> None:
    facts: dict[str, Scalar] = {
        "best": None,
        "cost": None,
        "agreement": None,
        "survivors": 0,
        "calls": 4,
    }
    told = tell(Event(read_fact("generation-closed", facts), 0, None))
    assert told == "generation 0 closed: no program yet, 0 programs, 4 calls"


def test_a_kind_of_event_from_a_later_version_is_still_told() -> None:
    event = Event(read_fact("provider-down", dict((("wait", 30), ("status", 503)))), 2, None)
    assert tell(event) == "provider-down in generation 2: wait 30, status 503"


def test_steps_on_the_way_to_a_candidate_go_without_saying() -> None:
    assert tell(Event(read_fact("call-sent", {"purpose": "program"}), 1, 0)) is None


def briefed(count: int, source: str, answers: int) -> Event:
    """Slots have their briefs."""
    return Event(BriefsRecorded(count, source, answers), 1)


def test_briefs_are_told_by_the_reflection_that_they_come_from() -> None:
    assert tell(briefed(5, "analyzer", 1)) == "generation 1: 5 briefs from the analyzer"
    pairs = "generation 1: hints from comparing 2 pairs of parents"
    assert tell(briefed(2, "short-term", 2)) == pairs
    assert "comparing 1 pair of" in str(tell(briefed(1, "short-term", 1)))
    assert "long-term hints updated" in str(tell(briefed(4, "long-term", 1)))


def test_briefs_of_an_older_run_are_told_without_their_reflection() -> None:
    assert tell(Event(read_fact("briefs", {"count": 5}), 1)) == "generation 1: 5 briefs"


def tuned(**facts: Scalar) -> Event:
    """A search over constants is over."""
    told: dict[str, Scalar] = {"program": "p0012", "constants": 3, "trials": 40}
    told |= {"before": 1850.4, "after": 1844.2, "errors": 2.94, "accepted": True, **facts}
    return Event(read_fact("tuned", told), 3, 5)


def test_a_calibration_is_told_with_what_it_gained_and_how_sure_that_is() -> None:
    line = "tuned p0012 on half the set: 3 constants, 40 trials, 1850.4 -> 1844.2"
    assert tell(tuned()) == f"{line} (2.9 standard errors)"
    told = tell(tuned(errors=1.04, accepted=False))
    assert told == f"{line} (1.0 standard errors elsewhere: not taken)"
    assert tell(tuned(errors=None, accepted=False)) == line
    plain = tell(tuned(constants=1, trials=1, after=1850.4, errors=None, accepted=False))
    assert plain == "tuned p0012 on half the set: 1 constant, 1 trial, none better than 1850.4"


def test_a_slot_without_a_gain_has_not_failed() -> None:
    told = tell(candidate(operator="tune", failure="no gain", message="p0012: none better"))
    assert told == "p0031 tune gen 3 no gain: p0012: none better"
    line = event_line(candidate(operator="tune", failure="no gain", message="p0012: none better"))
    assert not line.alarm
    assert event_line(candidate(failure="timeout", message="over")).alarm


def test_a_tuned_child_is_told_once_it_is_taken() -> None:
    narrator = Narrator(teacher=False)
    early = {"program": "p0031", "operator": "tune", "cost": 1844.2, "failure": None}
    assert narrator.narrate(Event(read_fact("evaluated", early), 3, 0)) is None
    told = narrator.narrate(candidate(operator="tune", cost=1844.2))
    assert told == "p0031 tune gen 3 cost 1844.2"


def test_trials_are_a_line_of_the_events_pane_only() -> None:
    facts = {"program": "p0012", "trials": 6, "rollouts": 120, "budget": 640, "best": 1850.4}
    event = Event(read_fact("trials", facts), 3, 5)
    assert tell(event) is None
    line = event_line(event)
    assert (line.kind, line.alarm) == ("tune", False)
    assert line.text == "p0012 6 trials, 120 of 640 rollouts, best 1850.4 of half the set"


def test_whether_prompts_tell_what_the_teacher_says_is_no_alarm() -> None:
    line = event_line(Event(Note("teacher-word", "advice saves +0.4 %"), 2, None))
    assert (line.kind, line.text, line.alarm) == ("teacher", "advice saves +0.4 %", False)
