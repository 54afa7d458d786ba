"""The theme of the screens: named, kept from the last time, or the usual one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tui.app.app import Preceptor, open_screen
from tui.commands.viewing import VARIABLE

if TYPE_CHECKING:
    from tests.conftest import Shell


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that this machine's user has chosen."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv(VARIABLE, "")


def test_a_theme_that_was_chosen_is_that_of_the_next_time(
    exhibit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []

    def use(app: Preceptor) -> None:
        begun.append(app.theme)
        app.theme = "textual-light"

    monkeypatch.setattr(Preceptor, "run", use)
    open_screen(exhibit)
    open_screen(exhibit)
    monkeypatch.setenv(VARIABLE, "nord")
    open_screen(exhibit)
    assert begun == ["textual-dark", "textual-light", "nord"]


@pytest.mark.parametrize("kept", [b"\x1b[2J", b"\xff\xfe", b"", b"no-such-theme"])
def test_a_theme_that_is_none_is_passed_over(
    kept: bytes, exhibit: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    monkeypatch.setattr(Preceptor, "run", lambda app: begun.append(app.theme))
    (tmp_path / "config/preceptor").mkdir(parents=True)
    (tmp_path / "config/preceptor/theme").write_bytes(kept)
    open_screen(exhibit)
    assert begun == ["textual-dark"]


def test_a_theme_is_named_on_the_command_line(preceptor: Shell, exhibit: Path) -> None:
    assert preceptor("--theme", "textual-light", "runs").code == 0
    refused = preceptor("--theme", "textual-lihgt", "runs")
    assert refused.code == 2
    assert "did you mean 'textual-light'?" in refused.complaint
