"""The recording that ships, a run whose replies were written by hand: browsed and replayed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from tests.tui.schemas import read_lines

if TYPE_CHECKING:
    from tests.conftest import Shell

DEMO = Path(__file__).parents[2] / "docs/demo/jssp-by-hand.run"
FIRST = (
    *("--method", "ours"),
    *("--option", "generations=1", "--option", "states=64", "--option", "phases=1"),
    *("--design", "design-64", "--option", "selection=none"),
)


def test_the_demo_is_browsed_like_a_run_of_ones_own(preceptor: Shell) -> None:
    assert preceptor("import", str(DEMO)).code == 0
    shown = json.loads(preceptor("show", "1", "--json").out)
    assert shown["totals"]["calls"] == 30
    assert shown["best"]["cost"] == 1806.484375
    assert len(shown["population"]) == 10


def test_its_replies_make_the_programs_and_costs_that_it_recorded(preceptor: Shell) -> None:
    assert preceptor("import", str(DEMO)).code == 0
    done = preceptor("run", "jssp", "--llm", f"replay:{DEMO}", *FIRST, "--headless", "--json")
    lines = read_lines(done.out, "run")
    made = [line for line in lines if line["event"] == "candidate" and line["generation"] == 1]
    assert len(made) == 5
    for child in made:
        recorded = json.loads(preceptor("show", "1", child["program"], "--json").out)
        assert child["cost"] == recorded["cost"]


def test_every_recording_that_the_manual_names_is_there(preceptor: Shell) -> None:
    """And is imported; one that is not named is not kept."""
    page = (DEMO.parents[1] / "recorded-runs.md").read_text("utf-8")
    folder = DEMO.parents[2] / "studies/recorded"
    named = set(re.findall(r"`([\w-]+\.run)`", page))
    assert named == {file.name for file in folder.glob("*.run")}
    assert preceptor("import", str(folder / "tsp-placebo.run")).code == 0
