"""A teacher's worth is read off inside each run, and off the better half apart."""

from __future__ import annotations

import pytest

from engine.domain.values import Candidate, Diagnostics, Program
from engine.report.teacher_worth import correlate_signals


def candidate(number: int, cost: float, agreement: float | None, generation: int = 0) -> Candidate:
    said = None
    if agreement is not None:
        said = Diagnostics(agreement, 0.1, 0.01, None, None, 100, 0, 0)
    program = Program("", "", f"{number}")
    return Candidate(f"p{number}", program, "s", generation, number, cost=cost, diagnostics=said)


def test_correlations_are_taken_inside_each_run() -> None:
    helpful = [candidate(k, 100 + k, 1 - k / 20) for k in range(12)]
    far_off = [candidate(k, 900 + k, 1 - k / 20) for k in range(12)]
    (row,) = correlate_signals([helpful, far_off])
    assert (row.signal, row.programs, row.generation) == ("agreement", 12.0, 0)
    assert row.all is not None
    assert (row.all.mean, row.all.deviation, row.all.count) == (-1.0, 0.0, 2)


def test_the_better_half_may_say_the_opposite_of_all() -> None:
    run = [candidate(k, k, k / 100 if k < 8 else 0.01 - k / 1000) for k in range(16)]
    (row,) = correlate_signals([run])
    assert row.all is not None
    assert row.better is not None
    assert row.all.mean < 0
    assert row.better.mean == pytest.approx(1.0)


def test_generations_add_up_and_those_with_too_few_programs_have_no_row() -> None:
    run = [candidate(k, k, -k, generation=k // 5) for k in range(15)]
    assert [(row.generation, row.programs) for row in correlate_signals([run])] == [
        (1, 10),
        (2, 15),
    ]


def test_runs_without_a_teacher_have_no_rows() -> None:
    assert correlate_signals([[candidate(k, k, None) for k in range(9)]]) == ()
    assert correlate_signals([]) == ()
