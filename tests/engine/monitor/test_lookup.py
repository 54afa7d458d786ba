"""Which run a word means."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.domain.records import RunRow
from engine.domain.status import Liveness
from engine.monitor import lookup as selection
from problems.errors import UnknownName
from tests.conftest import ALONE, WRITER, Shell


def test_no_word_means_the_run_at_work_and_else_the_newest(
    preceptor: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        preceptor("run", *ALONE, "--llm", WRITER, "--max-calls", "0")
    db = tmp_path / "runs.db"
    assert selection.pick_run(db, "") == 2

    def liveness(row: RunRow) -> Liveness:
        return "alive" if row.number == 1 else "gone"

    monkeypatch.setattr(selection, "liveness", liveness)
    assert selection.pick_run(db, "") == 1
    assert selection.pick_run(db, "latest") == 2
    assert selection.pick_study(db, "") is None


def test_a_number_that_no_store_can_hold_is_that_of_no_run(
    preceptor: Shell, tmp_path: Path
) -> None:
    preceptor("run", *ALONE, "--llm", WRITER, "--max-calls", "0")
    with pytest.raises(UnknownName, match=str(2**63)):
        selection.pick_run(tmp_path / "runs.db", str(2**63))
