"""The form for a new run: values in, the same command out, and a run that goes on by itself."""

from __future__ import annotations

import asyncio
import shlex
from contextlib import suppress
from inspect import signature
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.events import Key
from textual.pilot import Pilot
from textual.widgets import Static

from engine.api.resolve import THE_SAME, RunRequest
from engine.api.run import Run
from engine.domain.specs.settings import Caps
from engine.store.reader import Reader, status
from problems.errors import UserError, WorldError
from tests.conftest import SLOW, TOY
from tests.tui.exhibit import DONE, LOST, open_app, until
from tui.app.app import Preceptor
from tui.commands.run import run
from tui.screens.boxes import HelpScreen
from tui.screens.fields import RUN, build_requests
from tui.screens.forms import LaunchScreen, ResumeScreen
from tui.screens.run import RunScreen
from tui.screens.runs import RunsScreen
from tui.widgets.form import FormEntry, typed_words

WIDE, SMALL = (160, 48), (80, 24)
TPS = {"problem": "tps"}
FORECAST = "jssp: 64 instances of design\nwriter: builtin, 30 calls, no cost"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[RunRequest]:
    """What the form asked to be looked ahead at; the answer is at hand at once."""
    requests: list[RunRequest] = []

    async def answer(_: Preceptor, request: RunRequest) -> str:
        requests.append(request)
        if request.problem == "tps":
            raise UserError("unknown problem 'tps'; did you mean 'tsp'?")
        return FORECAST

    monkeypatch.setattr(Preceptor, "look_ahead", answer)
    monkeypatch.setattr("tui.screens.forms.PAUSE", 0.01)
    return requests


def text_of(app: Preceptor, name: str) -> str:
    """What a line of the form says."""
    return str(app.screen.query_one(f"#{name}", Static).content)


def toasts(app: Preceptor) -> list[str]:
    """What the application has told beside the panes."""
    return [toast.message for toast in app._notifications]


@pytest.mark.usefixtures("asked")
@pytest.mark.parametrize("size", [(60, 16), SMALL, WIDE])
async def test_the_forecast_is_in_sight_and_the_first_layout_fits(
    exhibit: Path, size: tuple[int, int]
) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=size) as pilot:
        await pilot.press("n")
        form, pane = app.screen.query_one("#form"), app.screen.query_one("#estimate")
        assert (form.region.bottom <= pane.region.y) == (size != WIDE)
        await until(pilot, lambda: text_of(app, "forecast").startswith("✓ jssp"))
        await pilot.pause()
        assert app.screen.query_one("#forecast").region.y < pane.content_region.bottom


async def test_keys_typed_ahead_edit_the_field_that_they_were_typed_in(
    exhibit: Path, asked: list[RunRequest]
) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("n")
        await pilot.pause()
        typed = (*["backspace"] * 4, *"sp", "home", "t", "tab", "down", "tab", *"file")
        for key in typed:
            app.post_message(Key(key, key if len(key) == 1 else None))
        await until(pilot, lambda: values(app)[2] == "file")
        await pilot.pause()
        assert values(app)[:2] == ["tsp", "eoh"]


def values(app: Preceptor) -> list[str]:
    """What stands in the fields of the form."""
    return [entry.value for entry in app.screen.query(FormEntry)]


async def fill(pilot: Pilot[None], **values: str) -> None:
    """Type values into fields of the form, by their names."""
    for entry in pilot.app.screen.query(FormEntry):
        value = values.get(entry.field.name.replace(" ", "_"))
        if value is not None:
            entry.value = value
    await pilot.pause()


async def test_the_form_says_what_to_type_instead(exhibit: Path, asked: list[RunRequest]) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("n")
        assert isinstance(app.screen, LaunchScreen)
        assert text_of(app, "command") == "preceptor run jssp"
        await fill(pilot, problem="./my shop", seed="3", options="population=4 children=2")
        assert text_of(app, "command") == (
            "preceptor run './my shop' --seed 3 --option population=4 --option children=2"
        )
        await pilot.press("escape")
        assert isinstance(app.screen, RunsScreen)


async def test_what_it_will_be_is_told_when_the_typing_rests(
    exhibit: Path, asked: list[RunRequest]
) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("n")
        await until(pilot, lambda: "✓" in text_of(app, "forecast"))
        assert "✓ writer: builtin, 30 calls" in text_of(app, "forecast")
        await fill(pilot, problem="tps")
        await until(pilot, lambda: "✗" in text_of(app, "forecast"))
        assert text_of(app, "forecast") == "✗ unknown problem 'tps'; did you mean 'tsp'?"
        begun = {field.name: field.begin for field in RUN}
        assert (asked[-1],) == build_requests(begun | TPS)


async def test_a_forecast_of_what_the_form_said_before_is_never_shown(
    exhibit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = asyncio.Event()
    looked: list[str] = []

    async def answer(_: Preceptor, request: RunRequest) -> str:
        looked.append(request.problem)
        if request.problem == "tsp":
            await gate.wait()
        return f"forecast of {request.problem}"

    monkeypatch.setattr(Preceptor, "look_ahead", answer)
    monkeypatch.setattr("tui.screens.forms.PAUSE", 0.01)
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("n")
        await fill(pilot, problem="tsp")
        await until(pilot, lambda: "tsp" in looked)
        monkeypatch.setattr("tui.screens.forms.PAUSE", 1000.0)
        await fill(pilot, problem="cvrp")
        gate.set()
        await pilot.pause()
        assert text_of(app, "forecast") == "…"


async def test_known_values_are_stepped_through_and_numbers_counted(
    exhibit: Path, asked: list[RunRequest]
) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press(
            "n", "down", "tab", "up", "tab", "tab", "down", "tab", "down", "tab", "up"
        )
        values = {entry.field.name: entry.value for entry in app.screen.query(FormEntry)}
        known = {field.name: field.known() for field in RUN if field.known}
        after_jssp = known["problem"].index("jssp") + 1
        assert values["problem"] == known["problem"][after_jssp]
        assert values["method"] == known["method"][0]
        assert values["teacher"] == known["teacher"][1]
        assert values["seed"] == "1"
        assert values["generations"] == "4"


async def test_models_on_this_machine_are_among_the_writers(
    exhibit: Path, asked: list[RunRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = "openai:llama3@http://127.0.0.1:11434/v1"
    monkeypatch.setattr("engine.api.resolve.local_writers", lambda: (found,))
    app = open_app(exhibit)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("n")
        next(e for e in app.screen.query(FormEntry) if e.field.name == "writer").focus()
        await until(pilot, lambda: found in text_of(app, "about"))
        await pilot.press("up")
        assert f"--llm {found}" in text_of(app, "command")


async def test_letters_are_text_and_help_is_behind_f1(
    exhibit: Path, asked: list[RunRequest]
) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("n", *"q?")
        assert app.screen.query(FormEntry).first().value == "q?"
        await pilot.press("f1")
        assert isinstance(app.screen, HelpScreen)
        await pilot.press("escape")
        assert isinstance(app.screen, LaunchScreen)


def test_the_words_are_those_of_the_command_line() -> None:
    values = {field.name: field.begin for field in RUN}
    assert typed_words(RUN, values) == ("jssp",)
    values |= {"method": "eoh", "writer": "openai:m", "teacher": "t", "seed": "7"}
    values |= {"generations": "2", "max calls": "30", "options": " cases=3  top_k=2 "}
    assert shlex.join(typed_words(RUN, values)) == (
        "jssp --method eoh --llm openai:m --teacher t --seed 7 --option generations=2 "
        "--max-calls 30 --option cases=3 --option top_k=2"
    )


async def test_a_run_from_the_form_is_shown_and_outlives_the_screen(
    exhibit: Path, asked: list[RunRequest]
) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("n")
        await fill(pilot, problem=TOY, method="performance-only", writer=SLOW, generations="1")
        await pilot.press("enter", "enter")  # the second one may meet the screen of the run
        await app.workers.wait_for_complete()
        shown = [screen for screen in app.screen_stack if isinstance(screen, RunScreen)]
        assert [screen.run for screen in shown] == [5]
        while not isinstance(app.screen, RunsScreen):
            await pilot.press("escape")
    with Reader(exhibit) as reader:
        assert status(reader.run(5)) in ("running", "done")
        assert len(reader.runs()) == 5


async def test_what_cannot_start_is_told_and_the_form_stays(
    exhibit: Path, asked: list[RunRequest]
) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("n")
        await fill(pilot, problem="tps")
        await pilot.press("enter")
        await app.workers.wait_for_complete()
        assert isinstance(app.screen, LaunchScreen)
        assert toasts(app)[-1] == "unknown problem 'tps'; did you mean 'tsp'?"


async def test_resuming_speaks_to_the_run_under_the_cursor(
    exhibit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []

    def refuse(run: Run, **_: object) -> Run:
        begun.append(run.number)
        raise WorldError("not today")

    monkeypatch.setattr("engine.api.run.Run.resume", refuse)
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("G", "r")
        await app.workers.wait_for_complete()
        await pilot.press("enter", "r")
        await app.workers.wait_for_complete()
        assert begun == [LOST, LOST]
        assert "not today" in toasts(app)


async def test_a_finished_run_is_not_resumed(exhibit: Path) -> None:
    app = open_app(exhibit, DONE)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("r")
        await app.workers.wait_for_complete()
        assert toasts(app)[-1].startswith(f"run {DONE} is done; there is nothing left to do")


async def test_an_engine_that_does_not_come_is_told_beside_its_run(
    exhibit: Path, asked: list[RunRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(run: Run) -> None:
        raise WorldError("the engine died")

    monkeypatch.setattr("engine.api.run.Run.launch", die)
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("n")
        await fill(pilot, problem=TOY, method="performance-only")
        await pilot.press("enter")
        await app.workers.wait_for_complete()
        assert isinstance(app.screen, RunScreen)
        assert "the engine died" in toasts(app)


async def test_what_is_no_number_is_told(exhibit: Path, asked: list[RunRequest]) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("n")
        await fill(pilot, seed="first")
        await pilot.press("enter")
        assert toasts(app)[-1].startswith("Invalid value for '--seed'")


def test_every_option_of_run_has_a_field() -> None:
    values = {field.name: field.begin for field in RUN}
    values |= {"analyzer": "builtin", "design": "design-64", "preset": "paper", "seed": "1 2"}
    values |= {"start": "'my best.py' run:3/p0001", "max tokens": "9", "max usd": "0.5"}
    first, second = build_requests(values)
    assert (first.seed, second.seed) == (1, 2)
    assert (first.analyzer, first.design, first.preset) == ("builtin", "design-64", "paper")
    assert first.start == ("my best.py", "run:3/p0001")
    assert first.caps == Caps(None, 9, 0.5)
    assert shlex.join(typed_words(RUN, values)) == (
        "jssp --seed '1 2' --analyzer-llm builtin --design design-64 --preset paper "
        "--start 'my best.py' --start run:3/p0001 --max-tokens 9 --max-usd 0.5"
    )
    beside = {"context", "headless", "estimate", "db", "as_json", "_on_end"}
    values |= {"problem": "tsp", "kind": "whole"}
    (whole, _) = build_requests(values)
    assert (whole.method, whole.options) == (None, ("tsp.kind=whole",))
    told = set(signature(run).parameters) - beside
    names = {"llm": "writer", "analyzer_llm": "analyzer", "option": "options"}
    names["executor"] = "options"  # a setting with a name of its own
    assert {names.get(one, one.replace("_", " ")) for one in told} <= set(values)


@given(st.text())
def test_no_text_in_a_form_breaks_it(text: str) -> None:
    values = {field.name: text for field in RUN}
    assert typed_words(RUN, values)
    with suppress(UserError):
        build_requests(values)


async def test_several_seeds_are_as_many_runs(
    exhibit: Path, asked: list[RunRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.api.run.Run.launch", lambda _: None)
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("n")
        await fill(pilot, problem=TOY, method="performance-only", seed="3 4")
        await until(pilot, lambda: "2 runs, each:" in text_of(app, "forecast"))
        ends = [line.split(" --")[-1] for line in text_of(app, "command").split("\n")]
        assert ends == ["seed 3", "seed 4"]
        await pilot.press("enter")
        await app.workers.wait_for_complete()
        assert isinstance(app.screen, RunScreen)
    with Reader(exhibit) as reader:
        assert [reader.run(number).spec.seed for number in (5, 6)] == [3, 4]


async def test_a_run_starts_from_a_program_by_a_key(
    exhibit: Path, asked: list[RunRequest]
) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("j", "N")
        assert text_of(app, "command") == f"preceptor run jssp --start run:{DONE}/p0013"


async def test_a_run_goes_on_with_more_by_a_key(
    exhibit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[object, ...]] = []

    def take(run: Run, *words: object) -> Run:
        asked.append((run.number, *words[:2], *words[3:]))
        return run

    monkeypatch.setattr("engine.api.run.Run.resume", take)
    app = open_app(exhibit, DONE)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("m")
        assert isinstance(app.screen, ResumeScreen)
        assert text_of(app, "command") == f"preceptor resume {DONE}"
        await fill(pilot, max_calls="60", generations="9", fork="yes", options="population=20")
        assert text_of(app, "command") == (
            f"preceptor resume {DONE} --max-calls 60 --option generations=9 --fork "
            "--option population=20"
        )
        await pilot.press("enter")
        await app.workers.wait_for_complete()
        assert isinstance(app.screen, RunScreen)
        options = ("generations=9", "population=20")
        assert asked == [(DONE, Caps(calls=60), True, THE_SAME, options)]
