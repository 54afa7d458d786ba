"""What the command line does, by keys: files, labels, removal, teachers, sets, doctor."""

from __future__ import annotations

import sys
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st
from textual.widgets import Static

from engine.domain.text.plain_text import clean
from engine.store.reader import Reader
from tests.tui.exhibit import DONE, FAILED, LIVE, open_app, until
from tests.tui.hostile_run import ATTACK
from tui.app.app import Preceptor
from tui.screens.boxes import Confirm
from tui.screens.catalogue import CatalogueTable, DoctorScreen, SettingsScreen
from tui.screens.command import TrainingScreen, fold_prose
from tui.screens.runs import RunsScreen
from tui.widgets.form import FormEntry

if TYPE_CHECKING:
    import pytest

SMALL = (80, 24)

TRAINING = f"""import json
for done, cost in ((0.2, 2000.0), (0.4, 1900.0)):
    print(json.dumps(dict(event="training-progress", stage={ATTACK!r}, done=done, cost=cost)))
print({ATTACK!r})
"""


def typed_by(app: Preceptor) -> str:
    """The command that the form stands for."""
    return str(app.screen.query_one("#command", Static).content)


async def test_every_form_types_its_command(exhibit: Path) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("j", "E")
        assert typed_by(app) == f"preceptor export-run {DONE} --output run{DONE}.run"
        await pilot.press("escape", "A")
        assert typed_by(app) == "preceptor study FILE"
        await pilot.press("enter")
        assert [n.message for n in app._notifications] == [
            "file is missing: A study file (TOML), such as those in studies/."
        ]
        await pilot.press(*"arms.toml", "tab", "down")
        assert typed_by(app) == "preceptor study arms.toml --new"
        await pilot.press("enter")
        await until(pilot, lambda: "arms.toml" in "".join(n.message for n in app._notifications))
        await pilot.press("escape", "I", *"far.run")
        assert typed_by(app) == "preceptor import far.run"
        await pilot.press("escape", "space", "j", "space", "c", "E")
        assert typed_by(app) == f"preceptor compare {DONE} {FAILED} --plots plots"
        await pilot.press("escape", "escape", "b")
        await app.workers.wait_for_complete()
        await pilot.press("i", *"zip", "tab", *"mine")
        assert typed_by(app) == "preceptor data import zip --as mine"
        await pilot.press("escape", "slash", *"set:tsplib", "enter", "T")
        assert typed_by(app) == "preceptor bench tsp --set tsplib"
        await pilot.press("escape", "escape", "escape", "t")  # form, filter, screen
        await app.workers.wait_for_complete()
        await pilot.press("slash", *"offline", "enter", "t", "tab", *"5")
        assert typed_by(app) == "preceptor teachers train offline-l2d --minutes 5"


async def test_a_run_is_labelled_and_what_changes_is_typed(exhibit: Path) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("j", "l")
        assert typed_by(app) == f"preceptor label {DONE}"
        await pilot.press(*"night", "tab", *"wider", "tab", *"a b", "enter")
        assert isinstance(app.screen, RunsScreen)
        with Reader(exhibit) as reader:
            label = reader.run(DONE).label
        assert (label.name, label.note, label.tags) == ("night", "wider", ("a", "b"))
        app.screen.look()
        await pilot.press("2")
        await pilot.pause()
        assert "night" in str(app.screen.query_one("#preview Static", Static).content)
        await pilot.press("1", "l", *["backspace"] * 5, *"7", "tab", "tab", "backspace")
        assert typed_by(app) == f"preceptor label {DONE} --name 7 --untag a --untag b"
        await pilot.press("enter")
        assert "take another name" in [one.message for one in app._notifications][-1]
        assert app.screen.query(FormEntry)


async def test_removing_asks_first_and_tells_what_must_stay(exhibit: Path) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("j", "X")
        assert isinstance(app.screen, Confirm)
        await pilot.press("n", "j", "X", "y")
        await app.workers.wait_for_complete()
        with Reader(exhibit) as reader:
            assert {row.number for row in reader.runs()} == {1, DONE, LIVE}
        await pilot.press("g", "X", "y")
        await app.workers.wait_for_complete()
        assert f"run {LIVE}" in [one.message for one in app._notifications][-1]
        with Reader(exhibit) as reader:
            assert {row.number for row in reader.runs()} == {1, DONE, LIVE}


async def test_installation_and_settings_are_lists(
    exhibit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = Event()
    monkeypatch.setattr("engine.api.doctor._ask", lambda _: answered.wait(60) and None)
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("d")
        assert isinstance(app.screen, DoctorScreen)
        table = app.screen.query_one(CatalogueTable)
        assert str(table.border_title) == "checks · looking …"
        answered.set()
        await app.workers.wait_for_complete()
        assert str(table.border_title) == f"checks {len(table.row_keys)}"
        assert [cell.text for cell in table.row("sandbox")][:2] == ["sandbox", "✗ fail"]
        await pilot.press("escape", "O")
        assert isinstance(app.screen, SettingsScreen)
        await app.workers.wait_for_complete()
        table = app.screen.query_one(CatalogueTable)
        values = {name: table.row(name)[1].text for name in table.row_keys}
        assert {name: values[name] for name in ("states", "operators", "advice")} == {
            "states": "the problem's",
            "operators": "the method's",
            "advice": "the method's",
        }
        await pilot.press("slash", *"setting:population", "enter", "2")
        told = str(app.screen.query_one("#about Static", Static).content)
        assert "--option population=VALUE" in told


async def test_a_training_draws_its_validation_curve_plainly(
    exhibit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.screens.command.COMMAND", (sys.executable, "-c", TRAINING))
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        await app.push_screen(TrainingScreen(("teachers", "train", "x", "--json")))
        output = app.screen.query_one("#output")
        await until(pilot, lambda: "done" in str(output.border_title))
        assert "validation cost" in str(app.screen.query_one("#validation Static", Static).content)
        for key in ("1", "2"):
            await pilot.press(key)
            lines = [strip.text for strip in app.screen._compositor.render_strips()]
            assert [line for line in lines if clean(line) != line] == []


SAID = "not better: p0010: 1 constant, 10 trials; the best differs by -10.52 on the other half"
COLUMNS = "set           solver        mean cost        ms each        ms a decision     solved"


def test_sentences_are_broken_between_words_and_columns_are_not() -> None:
    lines = fold_prose(f"{SAID}\n{COLUMNS}", 60).split("\n")
    assert lines[-1] == COLUMNS
    assert [len(line) <= 60 for line in lines[:-1]] == [True, True]
    assert " ".join(line.strip() for line in lines[:-1]) == SAID


@given(text=st.text(), width=st.integers(0, 200))
def test_breaking_what_a_command_says_loses_no_word(text: str, width: int) -> None:
    assert fold_prose(text, width).split() == text.split()
