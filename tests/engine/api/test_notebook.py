"""The manual's notebook: its cells work one after the other, where an event loop runs."""

from __future__ import annotations

import json
import linecache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).parents[3] / "docs/notebook.ipynb"
CELLS = [cell for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"] if "outputs" in cell]


def test_it_is_stored_without_what_came_out() -> None:
    assert [cell["outputs"] for cell in CELLS] == [[]] * len(CELLS)


async def test_its_cells_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for number, cell in enumerate(CELLS):
        text = "".join(cell["source"])
        if "import pandas" not in text or find_spec("pandas"):
            place = f"<cell {number}>"
            linecache.cache[place] = (len(text), None, text.splitlines(True), place)  # as IPython
            exec(compile(text, place, "exec"), names)
    curve, front = pyplot.gcf().axes
    assert curve.get_xlabel() == "calls"
    assert len(front.collections[0].get_offsets()) > 1
    pyplot.close("all")
    assert (names["run"].status, names["long"].status) == ("done", "stopped")
