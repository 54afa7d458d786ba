"""Instances to learn from: kept piece by piece, found again after an interrupt."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from problems.errors import UserError
from teachers.training import solving
from teachers.training.measure import TrainingProgress
from teachers.training.solving import share_out, solve_in_pieces


@dataclass(frozen=True)
class Squares:
    """Solutions [K]."""

    values: np.ndarray


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own cache folder, and threads, which start at once, for processes."""
    monkeypatch.setattr(solving, "user_cache_path", lambda _: tmp_path)
    monkeypatch.setattr(solving, "ProcessPoolExecutor", lambda count, _: ThreadPoolExecutor(1))
    return tmp_path


class Solver:
    """Squares numbers, notes which, and stumbles over one."""

    def __init__(self, stumbles_at: int = -1) -> None:
        self.asked: list[int] = []
        self.stumbles_at = stumbles_at

    def __call__(self, number: int) -> Squares:
        """Two solutions for each number."""
        self.asked.append(number)
        if number == self.stumbles_at:
            raise KeyboardInterrupt
        return Squares(np.array([number, number**2]))


def solved(solver: Solver, until: float = float("inf"), count: int = 5) -> list[int]:
    """What comes of some numbers."""
    heard: list[TrainingProgress] = []
    found = solve_in_pieces("some", Squares, solver, range(count), "stage", heard.append, until)
    assert not solver.asked or heard[-1].left >= 0
    values: list[int] = found.values.tolist()
    return values


ALL = [0, 0, 1, 1, 2, 4, 3, 9, 4, 16]


def test_what_was_solved_before_an_interrupt_is_not_solved_again(cache: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        solved(Solver(stumbles_at=3))
    again = Solver()
    assert solved(again) == ALL
    assert again.asked[0] > 0 and set(again.asked) < set(range(5))
    assert [file.name for file in cache.iterdir()] == ["some.npz"]
    third = Solver()
    assert (solved(third), third.asked) == (ALL, [])


def test_when_the_time_is_over_what_is_there_is_used_and_the_rest_can_follow() -> None:
    now = time.monotonic()
    first, again, last = Solver(), Solver(), Solver()
    assert solved(first, now) == ALL[:2]
    assert (first.asked, solved(again, now), again.asked) == ([0], ALL[:2], [])
    assert (solved(last), sorted(last.asked)) == (ALL, [1, 2, 3, 4])


def test_progress_counts_what_was_kept() -> None:
    solved(Solver(), time.monotonic())
    heard: list[TrainingProgress] = []
    solve_in_pieces("some", Squares, Solver(), range(5), "stage", heard.append)
    assert [one.done for one in heard] == pytest.approx([0.4, 0.6, 0.8, 1.0])


def test_a_missing_solver_is_told_only_where_something_has_to_be_solved() -> None:
    def require() -> None:
        raise UserError("no solver")

    ask = (range(5), "stage", lambda _: None)
    with pytest.raises(UserError, match="no solver"):
        solve_in_pieces("some", Squares, Solver(), *ask, require=require)
    solved(Solver())
    solve_in_pieces("some", Squares, Solver(), *ask, require=require)


def test_the_time_is_shared_among_parts() -> None:
    assert share_out(float("inf"), 3) == float("inf")
    ahead = time.monotonic() + 3e6
    assert share_out(ahead, 3) - time.monotonic() == pytest.approx(1e6, rel=1e-2)
