"""What became of children: by operator, writer and generation, with what they took."""

from __future__ import annotations

from engine.domain.program import make_program
from engine.domain.records import CallCost
from engine.domain.values import Candidate, Failure
from engine.monitor.run_summary import Found, Yield, count_yields
from tui.text.pages.run import page_yields


def child(generation: int, slot: int, operator: str, cost: float | None) -> Candidate:
    """A program of that cost, one that failed without one."""
    return Candidate(
        id=f"{generation}.{slot}",
        program=make_program("", "x = 1"),
        operator=operator,
        generation=generation,
        slot=slot,
        cost=cost,
        failure=None if cost else Failure("parse", "nothing"),
        writer="large" if generation else "",
    )


MADE = [
    child(0, 0, "seed", 9.0),
    child(1, 0, "s", 7.0),
    child(1, 1, "m", 8.0),
    child(2, 0, "s", None),
    child(2, 1, "m", 6.5),
    child(2, 2, "tune", 6.0),
]
CALLS = [
    CallCost("analyzer", 1, 0, 100, 0.25),
    CallCost("program", 1, 0, 10, 0.5),
    CallCost("program", 1, 1, 20, 0.5),
    CallCost("analyzer", 2, 0, 100, 0.25),
    CallCost("program", 2, 0, 30, 0.5),
    CallCost("program", 2, 0, 5, 0.125),
    CallCost("program", 2, 1, 40, 0.5),
]
RUN: Found = (MADE, MADE[4:], CALLS)


def test_gains_are_those_over_the_best_before_and_calls_those_that_wrote_a_child() -> None:
    assert count_yields([RUN]) == (
        Yield("seed", 1, 1, 0, 9.0, 0.0, 0, 0, 0.0),
        Yield("s", 2, 1, 0, 7.0, 2.0, 3, 45, 1.125),
        Yield("m", 2, 2, 1, 6.5, 0.5, 2, 60, 1.0),
        Yield("tune", 1, 1, 1, 6.0, 0.5, 0, 0, 0.0),
    )


def test_seeds_have_no_writer_and_several_runs_are_added_up() -> None:
    (found,) = count_yields([RUN, RUN], lambda one: one.writer)
    assert found == Yield("large", 10, 8, 4, 6.0, 6.0, 10, 210, 4.25)


def test_a_generation_pays_for_its_reflections_and_a_point_has_a_price() -> None:
    found = count_yields([RUN], lambda one: str(one.generation), every=True)
    assert [(one.name, one.calls, one.tokens, one.usd) for one in found] == [
        ("0", 0, 0, 0.0),
        ("1", 3, 130, 1.25),
        ("2", 4, 175, 1.375),
    ]
    rows = [line.split() for line in page_yields("generation", found).splitlines()]
    assert rows[0][-6:] == ["calls", "tokens", "$", "$", "a", "point"]
    assert rows[2] == ["1", "2", "2", "0", "7", "2", "3", "130", "$1.25", "$0.625"]
    free = count_yields([(MADE, MADE, ())])
    assert "$" not in page_yields("operator", free)
