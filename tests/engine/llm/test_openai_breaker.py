"""The breaker as a state machine over times that the test makes up."""

from __future__ import annotations

from engine.llm.openai.limiter import Breaker


def tripped() -> Breaker:
    """A breaker that has just seen three calls fail, at time 0."""
    breaker = Breaker()
    for _ in range(3):
        breaker.failed(0.0)
    return breaker


def test_two_failures_are_bad_luck_and_three_in_a_row_open_it() -> None:
    breaker = Breaker()
    breaker.failed(0.0)
    breaker.failed(0.0)
    assert not breaker.open
    breaker.answered()
    breaker.failed(0.0)
    breaker.failed(0.0)
    assert not breaker.open
    breaker.failed(0.0)
    assert breaker.open


def test_one_probe_is_let_through_after_half_a_minute() -> None:
    breaker = tripped()
    assert not breaker.admits(29.9)
    assert breaker.admits(30.0)
    assert not breaker.admits(31.0)


def test_pauses_double_up_to_ten_minutes() -> None:
    breaker, now, pauses = tripped(), 0.0, []
    for _ in range(7):
        assert breaker.until is not None
        pauses.append(breaker.until - now)
        now = breaker.until
        assert breaker.admits(now)
        breaker.failed(now)
    assert pauses == [30, 60, 120, 240, 480, 600, 600]


def test_an_answer_closes_it_and_starts_over() -> None:
    breaker = tripped()
    breaker.admits(30.0)
    breaker.failed(30.0)
    breaker.answered()
    assert breaker.admits(31.0)
    assert breaker.admits(31.0)
    for _ in range(3):
        breaker.failed(40.0)
    assert breaker.until == 70.0


def test_a_wish_of_the_provider_opens_it_at_once_and_for_as_long() -> None:
    breaker = Breaker()
    breaker.failed(0.0, wait=300.0)
    assert breaker.until == 300.0


def test_calls_that_were_under_way_when_it_opened_do_not_lengthen_the_pause() -> None:
    breaker = tripped()
    breaker.failed(5.0)
    breaker.failed(6.0)
    assert breaker.until == 30.0


def test_a_person_who_knows_better_need_not_wait() -> None:
    breaker = tripped()
    breaker.probe_now()
    assert breaker.admits(1.0)
    idle = Breaker()
    idle.probe_now()
    assert not idle.open


def test_it_knows_how_long_the_provider_has_been_down() -> None:
    breaker = tripped()
    breaker.failed(40.0)
    assert breaker.open_for(100.0) == 100.0
    breaker.answered()
    assert breaker.open_for(100.0) == 0.0
