"""`preceptor settings`: what there is to set, and what holds here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Shell
from tests.tui.schemas import read_document


def test_a_setting_is_told_with_its_value_its_source_and_its_meaning(
    preceptor: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRECEPTOR_CASCADE", "2.5")
    done = preceptor("settings", "cascade", "population", "--preset", "paper")
    assert done.code == 0
    head, cascade, _, _, population, meaning = done.out.splitlines()
    assert head.split() == ["setting", "value", "from"]
    assert cascade.split()[:3] == ["cascade", "2.5", "environment"]
    assert population.split()[:4] == ["population", "10", "preset", "paper"]
    assert meaning == "    programs that survive a generation (a whole number from 2)"
    assert all(len(line) <= 80 for line in preceptor("settings").out.splitlines())


def test_settings_as_json(preceptor: Shell, tmp_path: Path) -> None:
    (tmp_path / "preceptor.toml").write_text("[settings]\nchildren = 7\n")
    found = read_document(preceptor("settings", "--json").out, "settings")["settings"]
    assert {one["name"]: one["source"] for one in found}["children"] == "preceptor.toml"


def test_an_unknown_setting_names_the_nearest(preceptor: Shell) -> None:
    refused = preceptor("settings", "poplation")
    assert refused.code == 2
    assert "did you mean 'population'?" in refused.complaint
