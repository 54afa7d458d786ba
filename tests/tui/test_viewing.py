"""How screens are shown, as the command line or the environment says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tui.commands.viewing import FASTEST, READ_ONLY, SLOWEST, UI_HZ, is_read_only, pick_hertz

if TYPE_CHECKING:
    from tests.conftest import Shell


@pytest.fixture(autouse=True)
def _nothing_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that the developer has set; set here, so that it is put back afterwards."""
    monkeypatch.setenv(UI_HZ, "")
    monkeypatch.setenv(READ_ONLY, "")
    monkeypatch.delenv("SSH_CONNECTION", raising=False)


def test_looks_in_a_second_are_as_asked_for_or_as_the_line_allows(
    preceptor: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert pick_hertz() == 4.0
    monkeypatch.setenv("SSH_CONNECTION", "there")
    assert pick_hertz() == 2.0
    assert preceptor("--ui-hz", "0.5", "doctor", "--help").code == 0
    assert pick_hertz() == 0.5


@pytest.mark.parametrize("hertz", ["0", "1000", "often"])
def test_a_rate_that_no_screen_can_keep_is_refused(hertz: str, preceptor: Shell) -> None:
    refused = preceptor("--ui-hz", hertz, "runs")
    assert refused.code == 2
    assert "--ui-hz" in refused.complaint


def test_screens_that_only_read_are_asked_for(preceptor: Shell) -> None:
    assert not is_read_only()
    assert preceptor("--read-only", "doctor", "--help").code == 0
    assert is_read_only()


@example("nan")
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
@settings(max_examples=50)
def test_a_variable_of_any_text_gives_a_rate(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(UI_HZ, text)
        assert SLOWEST <= pick_hertz() <= FASTEST
