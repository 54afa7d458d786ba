"""Whether this method can be read and its prompts filled: `python -m pytest` in this folder."""

from __future__ import annotations

from pathlib import Path

from preceptor import RunRequest, forecast


def test_the_method_can_be_searched_with() -> None:
    file = str(Path(__file__).with_name("method.toml"))
    assert forecast(RunRequest("jssp", method=file)).calls >= 0
