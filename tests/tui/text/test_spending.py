"""What a run paid and for which gains: its tables add up."""

from __future__ import annotations

from pathlib import Path

from engine.monitor.run_summary import summarise
from engine.store.reader import Reader
from tests.engine.builders import import_demo
from tui.text.pages.run import page_spending


def test_calls_for_no_child_have_a_row_so_that_operators_add_up(tmp_path: Path) -> None:
    db = tmp_path / "runs.db"
    import_demo(db)
    with Reader(db) as reader:
        page = page_spending(summarise(reader, 1), 70, "last gain 2 calls ago")
    head, by_generation, by_operator, _ = page.split("\n\n")
    assert head.endswith("last gain 2 calls ago")
    rows = [line.split() for line in by_operator.splitlines()]
    assert rows[2] == ["s", "10", "10", "4", "1809.27", "52.59", "10", "34109"]
    assert rows[-1] == ["other", "calls", "0", "0", "0", "-", "-", "5", "26504"]
    whole = sum(int(line.split()[-1]) for line in by_generation.splitlines()[2:])
    assert whole == sum(int(row[-1]) for row in rows[2:])
