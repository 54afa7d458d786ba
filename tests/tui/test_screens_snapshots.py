"""Pictures of every screen at both sizes; after a wanted change: pytest --snapshot-update."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.tui.exhibit import DONE, LIVE, open_app

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Snap = Callable[..., bool]

SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 48)], ids=lambda s: f"{s[0]}x{s[1]}")


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """No colour settings of the developer's own."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("TEXTUAL_THEME", raising=False)


@SIZES
def test_picture_of_a_run_at_work(
    snap_compare: Snap, exhibit: Path, size: tuple[int, int]
) -> None:
    assert snap_compare(open_app(exhibit, LIVE), terminal_size=size)


@SIZES
def test_picture_of_a_finished_run_in_the_light(
    snap_compare: Snap, exhibit: Path, size: tuple[int, int]
) -> None:
    app = open_app(exhibit, DONE)
    app.theme = "textual-light"
    assert snap_compare(app, press=["4"], terminal_size=size)


@SIZES
def test_picture_of_a_program(snap_compare: Snap, exhibit: Path, size: tuple[int, int]) -> None:
    assert snap_compare(open_app(exhibit, DONE), press=["enter", "3"], terminal_size=size)


@SIZES
def test_picture_of_the_runs(snap_compare: Snap, exhibit: Path, size: tuple[int, int]) -> None:
    assert snap_compare(open_app(exhibit), press=["j"], terminal_size=size)


@SIZES
def test_picture_of_the_help(snap_compare: Snap, exhibit: Path, size: tuple[int, int]) -> None:
    assert snap_compare(open_app(exhibit, DONE), press=["?"], terminal_size=size)


def test_picture_of_the_question_before_a_stop(snap_compare: Snap, exhibit: Path) -> None:
    assert snap_compare(open_app(exhibit, LIVE), press=["x"], terminal_size=(80, 24))
