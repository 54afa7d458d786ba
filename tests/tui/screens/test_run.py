"""The screen of a run under a user's hands: keys in, panes and files out."""

from __future__ import annotations

import sqlite3
from concurrent.futures import Future
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from textual.widget import Widget
from textual.widgets import Static

from engine.domain.events import Event, Note, ProviderWaiting, TeacherMeasured, read_fact
from engine.domain.names import LEFT_OUT, TEACHER_WORD
from engine.domain.status import Job
from engine.domain.text import codec
from engine.domain.values import Brief, RealFigures
from engine.monitor.children import ChildInProgress
from engine.monitor.history import CostCurve
from engine.monitor.monitor import Monitor
from engine.runtime import control
from engine.store.reader import Reader
from engine.store.store import Store
from problems.errors import StoreError, WorldError
from tests.engine.builders import import_demo, import_gone
from tests.tui.exhibit import DONE, FAILED, LIVE, LOST, NOW, choose_another, open_app, until
from tui.app.app import Preceptor
from tui.screens.boxes import Confirm, HelpScreen, TextBox
from tui.screens.program import ProgramScreen, ReflectionScreen
from tui.screens.run import RunScreen
from tui.screens.runs import RunsScreen
from tui.text.formatting import number
from tui.widgets.code import DiffPane
from tui.widgets.curve import CurvePlot
from tui.widgets.detail import DetailPane
from tui.widgets.events import EventsPane
from tui.widgets.exchange import BriefPane
from tui.widgets.frame import Hints
from tui.widgets.population import PopulationTable
from tui.widgets.progress import ChangeLine, ProgressPane, RunHeader

WIDE, SMALL = (160, 48), (80, 24)


def screen_of(app: Preceptor) -> RunScreen:
    """The screen of the run, which must be the one that is shown."""
    assert isinstance(app.screen, RunScreen)
    return app.screen


def selected(app: Preceptor) -> str:
    """The name of the selected program."""
    screen = screen_of(app)
    assert screen.snapshot is not None
    member = screen.snapshot.at(screen.selected)
    assert member is not None
    return member.id


def text_of(widget: Widget) -> str:
    """What a pane says, without its colours."""
    return "\n".join(str(static.content) for static in widget.query(Static))


def rows_of(app: Preceptor) -> list[str]:
    """The places of the members in the table, from the top."""
    return screen_of(app).query_one(PopulationTable).row_keys


def pictures(app: Preceptor) -> list[str]:
    """All lines that the screen shows."""
    return [strip.text for strip in app.screen._compositor.render_strips()]


def toasts(app: Preceptor) -> list[str]:
    """What the application has told beside the panes."""
    return [toast.message for toast in app._notifications]


async def test_the_selection_follows_the_best_until_the_user_moves(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=WIDE) as pilot:
        assert selected(app) == "p0008"
        await pilot.press("j")
        assert selected(app) == "p0011"
        screen_of(app).show()
        assert selected(app) == "p0011"


async def test_agreement_stands_beside_chance_and_standard_error(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=SMALL):
        told = str(app.screen.query_one(DetailPane).content)
        assert "agreement 0.487 ± 0.008 (chance 0.121)" in told


async def test_real_agreement_follows_in_the_same_line(exhibit: Path) -> None:
    real = codec.pack(codec.encode(RealFigures(0.833, 0.6, 0.006, None, None)))
    with closing(sqlite3.connect(exhibit)) as db, db:
        db.execute("UPDATE diagnostics SET real = ?", (real,))
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=SMALL):
        told = str(app.screen.query_one(DetailPane).content).splitlines()
        assert "agreement 0.487 ± 0.008 (chance 0.121), real 0.833" in told


async def test_a_program_near_its_limit_is_marked_beside_its_time(exhibit: Path) -> None:
    with closing(sqlite3.connect(exhibit)) as db, db:
        db.execute("UPDATE candidates SET decisions = 1000")
        db.execute("UPDATE evaluations SET cpu = 200")
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=WIDE):
        told = str(app.screen.query_one(DetailPane).content)
        assert "200 ms a decision, 200 CPU seconds in all" in told
        assert "it took 200.0 of the 240 CPU seconds" in told


async def test_children_are_shown_on_their_way(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=WIDE):
        snapshot = screen_of(app).snapshot
        assert snapshot is not None
        stages = [
            m.child.format_stage(snapshot.now) for m in snapshot.members if m.child is not None
        ]
        assert stages == ["writer 18 s", "answered", "evaluation 9 s", "ready", "✗ timeout"]


async def test_a_new_event_reaches_the_table(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=WIDE):
        cost = (("program", "p0015"), ("cost", 1501.25), ("cpu", 0.4), ("failure", None))
        with Store(exhibit) as store:
            store.search_log.record_events(LIVE, [Event(read_fact("evaluated", dict(cost)), 3, 2)])
        screen_of(app).look()
        cells = screen_of(app).query_one(PopulationTable).row("3.2")
        assert [cell.text for cell in cells][-1] == "evaluated"
        assert "1501.25" in [cell.text for cell in cells]


async def test_an_event_too_long_for_its_pane_ends_in_an_ellipsis(exhibit: Path) -> None:
    with Store(exhibit) as store:
        store.search_log.record_events(DONE, [Event(ProviderWaiting("soon " * 60))])
    app = open_app(exhibit, DONE)
    async with app.run_test(size=WIDE):
        events = app.screen.query_one(EventsPane)
        width, height = events.scrollable_content_region.size
        assert width < events.size.width, "a scroll bar covers the last column"
        lines = [events.render_line(y).text for y in range(height)]
    assert {len(line) for line in lines} == {width}
    assert [line[-1] for line in lines if "soon" in line] == ["…"]


async def test_an_unchanged_store_changes_nothing(exhibit: Path) -> None:
    app = open_app(exhibit, DONE)
    async with app.run_test(size=WIDE):
        before = screen_of(app).snapshot
        screen_of(app).look()
        assert screen_of(app).snapshot is before


async def test_sorting_goes_through_the_columns_and_turns_round(exhibit: Path) -> None:
    app = open_app(exhibit, DONE)
    async with app.run_test(size=WIDE) as pilot:
        by_rank = rows_of(app)
        await pilot.press("s", "s")
        table = app.screen.query_one(PopulationTable)
        agreements = [
            float(row[6].text) for row in map(table.row, table.row_keys) if row[6].text != "-"
        ]
        assert agreements == sorted(agreements, reverse=True)
        assert selected(app) == "p0013"
        await pilot.press("S")
        assert table.row_keys[0] != by_rank[0]
        agreements = [
            float(row[6].text) for row in map(table.row, table.row_keys) if row[6].text != "-"
        ]
        assert agreements == sorted(agreements)


async def test_a_click_on_a_head_sorts_by_it(exhibit: Path) -> None:
    app = open_app(exhibit, DONE)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.click(PopulationTable, offset=(36, 1))
        assert app.screen.query_one(PopulationTable).order.by == "cost"


async def test_all_programs_are_shown_on_request(exhibit: Path) -> None:
    app = open_app(exhibit, DONE)
    async with app.run_test(size=WIDE) as pilot:
        few = len(rows_of(app))
        await pilot.press("a")
        assert len(rows_of(app)) == 18 > few


async def test_the_filter_sifts_while_it_is_typed_and_escape_clears_it(exhibit: Path) -> None:
    app = open_app(exhibit, DONE)
    async with app.run_test(size=WIDE) as pilot:
        everyone = rows_of(app)
        await pilot.press("slash", *"op:m !dropped")
        found = set(rows_of(app))
        assert 0 < len(found) < len(everyone)
        await pilot.press("enter")
        assert set(rows_of(app)) == found
        await pilot.press("slash", "escape")
        assert rows_of(app) == everyone
        await pilot.press("slash", *"op:m", "enter", "escape")
        assert rows_of(app) == everyone
        assert type(app.screen).__name__ == "RunScreen"
        await pilot.press("slash", *"op:none", "enter", "enter")
        assert rows_of(app) == []
        assert type(app.screen).__name__ == "RunScreen"  # not the program that was chosen before


async def test_walking_along_the_front_selects_by_cost(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("2", "l")
        assert selected(app) == "p0003"
        await pilot.press("l")
        assert selected(app) == "p0010"
        await pilot.press("l", "h")
        assert selected(app) == "p0010"


async def test_a_click_in_the_plot_selects_the_program_there(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=WIDE) as pilot:
        plot = app.screen.query_one("#pareto")
        lines = [plot.render_line(y).text for y in range(plot.size.height)]
        y, line = next((y, line) for y, line in enumerate(lines) if "●" in line)
        x = line.index("●")
        await pilot.hover("#pareto", offset=(x + 1, y + 1))
        assert str(plot.tooltip).startswith("p0003 cost 1577.56")
        await pilot.click("#pareto", offset=(x + 1, y + 1))
        assert selected(app) == "p0003"


async def test_the_plot_is_zoomed_about_the_selection_and_fitted_again(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=WIDE) as pilot:
        plot = app.screen.query_one("#pareto")

        def marks() -> str:
            return "".join(plot.render_line(y).text for y in range(plot.size.height))

        fitted = marks()
        await pilot.press("2", "+", "+", "+", "+")
        assert marks() != fitted
        assert "◆" in marks()
        await pilot.press("-", "0")
        assert marks() == fitted


async def test_the_whole_board_goes_back_to_an_earlier_generation_and_comes_back(
    exhibit: Path,
) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=WIDE) as pilot:
        pane = app.screen.query_one(BriefPane)
        present = screen_of(app).snapshot
        assert "gen 3" in str(pane.border_title)
        assert "slot 3  m mechanism fusion of p0008 + p0011" in text_of(pane)
        await pilot.press("<", "<")
        assert "gen 1" in str(pane.border_title)
        assert "◀ end of gen 1" in text_of(app.screen)
        assert {place.partition(".")[0] for place in rows_of(app)} == {"0", "1"}
        assert " 1/5 " in str(app.screen.query_one(ProgressPane).content)
        await pilot.press("<", "<")
        assert "◀ end of gen 0" in text_of(app.screen)
        await pilot.press(">", ">", ">")
        assert screen_of(app).snapshot is present
        assert "gen 3" in str(pane.border_title)
        assert "◀" not in text_of(app.screen)


async def test_the_past_stays_as_it_is_while_the_run_goes_on(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("<")
        past = pictures(app)
        with Store(exhibit) as store:
            store.search_log.record_events(LIVE, [Event(ProviderWaiting("soon"))])
        screen_of(app).look()
        assert pictures(app) == past
        await pilot.press(">")
        assert any("soon" in line for line in pictures(app))


async def test_a_finished_run_goes_back_from_its_last_generation(exhibit: Path) -> None:
    app = open_app(exhibit, DONE)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("<")
        assert "◀ end of gen 2" in text_of(app.screen)
        await pilot.press(">", ">")
        assert "◀" not in text_of(app.screen)


async def test_a_run_without_a_generation_has_no_past(exhibit: Path) -> None:
    app = open_app(exhibit, FAILED)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("<", ">")
        assert "◀" not in text_of(app.screen)


async def test_the_curve_is_drawn_over_another_clock_at_a_key(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=WIDE) as pilot:
        plot = app.screen.query_one(CurvePlot)
        titles = []
        for key in ("3", "c", "c", "c", "c"):
            await pilot.press(key)
            titles.append(str(plot.border_title))
            lines = [plot.render_line(y).text for y in range(plot.size.height)]
            assert "┓" in "".join(lines)
            assert "●" in "".join(lines)
        clocks = ("generation", "call", "second", "dollar", "generation")
        assert titles == [f"cost by {clock}" for clock in clocks]


async def test_the_axis_leaves_out_seeds_that_are_far_above_all_later_gains(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("3")
        plot = app.screen.query_one(CurvePlot)
        shown = screen_of(app).snapshot
        assert shown is not None
        told = {}
        for first in (1700.0, 1850.0):
            steps = ((0.0, 1900.0), (1.0, first), (2.0, 1695.0), (2.0, 1690.0))
            curves = dict.fromkeys(shown.curves, CostCurve(steps, (), 1900.0, 2.0))
            plot.show(replace(shown, curves=curves), None)
            labels = "".join(plot.render_line(y).text[:8] for y in range(plot.size.height))
            told[first] = ("1900" in labels, str(plot.border_subtitle).count("seed above"))
        assert told == {1700.0: (False, 1), 1850.0: (True, 0)}


async def test_dollars_and_gains_are_shown_by_generation_and_operator(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("$")
        await until(pilot, lambda: isinstance(app.screen, TextBox))
        told = [line.split() for line in text_of(app.screen).splitlines()]
        assert ["1", "5", "54.6", "5", "15050", "$0.200", "$0.00366"] in told
        assert ["s", "4", "67.94", "4", "12040", "$0.160", "$0.00236"] in told
        await pilot.press("escape")
        assert isinstance(app.screen, RunScreen)


async def test_both_plots_share_a_place_where_there_is_room_for_one(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=(120, 36)) as pilot:
        shown = []
        for key in ("1", "3", "4", "2"):
            await pilot.press(key)
            plots = ("pareto", "curve")
            shown.append([name for name in plots if app.screen.query_one(f"#{name}").region.area])
        assert shown == [["pareto"], ["curve"], ["curve"], ["pareto"]]


async def test_the_best_known_cost_is_drawn_once_it_is_read(
    exhibit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.report.side_by_side.find_best_known", lambda _: 1560.0)
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=WIDE) as pilot:
        plot = app.screen.query_one(CurvePlot)
        await until(pilot, lambda: "best known" in str(plot.border_title))
        assert "═" in "".join(plot.render_line(y).text for y in range(plot.size.height))


async def test_what_changed_last_names_operator_parent_and_noise(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=WIDE) as pilot:
        line = app.screen.query_one(ChangeLine)
        assert str(line.content).startswith(" ★ p0008 best, since gen 2, by s of p0006, cost 15")
        assert " ± " in str(line.content)
        table = app.screen.query_one(PopulationTable)
        assert table.row("2.0")[-1].text == "new best"
        await pilot.press("<", "<", "<")
        assert "a seed" in str(line.content)


@pytest.mark.parametrize(
    ("presses", "written"),
    [(0, []), (1, ["\x07"]), (2, [f"\x1b]9;run {LIVE}: p0015 is the best, 1400\x07"]), (3, [])],
)
async def test_a_new_best_is_told_of_as_the_user_asked(
    exhibit: Path, monkeypatch: pytest.MonkeyPatch, presses: int, written: list[str]
) -> None:
    monkeypatch.delenv("TMUX", raising=False)
    heard: list[str] = []
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press(*"B" * presses)
        monkeypatch.setattr(app, "_write", heard.append)
        with Store(exhibit) as store:
            better = replace(store.candidates(LIVE, 2)[0], id="p0015", generation=3, cost=1400.0)
            store.search_log.record_candidate(LIVE, better)
            store.search_log.close_generation(LIVE, 3, ["p0015"], "digest", "p0015")
        screen_of(app).look()
        screen_of(app).look()
    assert heard == written


async def test_slots_that_share_a_brief_stand_above_it_and_others_have_their_own(
    exhibit: Path,
) -> None:
    with Store(exhibit) as store:
        hints = ("keep ties", "keep slack", "keep ties")
        briefs = [Brief(hint, "crossover") for hint in hints]
        store.search_log.record_briefs(DONE, 3, briefs)
    app = open_app(exhibit, DONE)
    async with app.run_test(size=WIDE):
        told = text_of(app.screen.query_one(BriefPane))
        heads = [
            line.strip(" │") for line in told.splitlines() if "slot" in line or "keep" in line
        ]
        assert [head[:6] for head in heads] == ["slot 1", "slot 3", "keep t", "slot 2", "keep s"]


async def test_the_diff_is_split_where_there_is_room_and_on_request(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=WIDE) as pilot:
        pane = app.screen.query_one(DiffPane)
        assert str(pane.border_title) == "diff p0006 → p0008"
        assert "│" in text_of(pane)
        await pilot.press("5", "v")
        assert "│" not in text_of(pane)
        assert "   6 +     return 0.5 * rest" in text_of(pane)


async def test_the_other_side_of_the_diff_is_every_parent_and_the_best(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("slash", *"id:p0010", "enter", "5")
        pane = app.screen.query_one(DiffPane)
        titles = []
        for _ in range(3):
            titles.append(str(pane.border_title))
            await pilot.press("o")
        assert titles[0] == "diff p0008 → p0010"
        assert titles[1] == "diff p0006 → p0010"
        assert titles[2] == titles[0]


async def test_pausing_leaves_a_command_for_the_engine(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("p")
        with Reader(exhibit) as reader:
            assert [order.kind for order in control.pending(reader, Job("run", LIVE))] == ["pause"]
        assert toasts(app) == [f"run {LIVE} will pause once pending calls are recorded"]


async def test_stopping_asks_first(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("x")
        assert isinstance(app.screen, Confirm)
        await pilot.press("n")
        with Reader(exhibit) as reader:
            assert control.pending(reader, Job("run", LIVE)) == ()
            await pilot.press("x", "y")
            assert [order.kind for order in control.pending(reader, Job("run", LIVE))] == ["stop"]


@pytest.mark.parametrize(
    ("run", "complaint"), [(DONE, "has ended already"), (LOST, "no engine is at work")]
)
async def test_an_order_that_nobody_can_take_is_refused(
    exhibit: Path, run: int, complaint: str
) -> None:
    with Store(exhibit) as store:
        store.jobs.release(Job("run", run), store.run(run).state)
    app = open_app(exhibit, run)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("p")
        assert complaint in toasts(app)[0]


async def test_leaving_ends_the_viewer_and_orders_nothing(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("q")
    assert app.return_code == 0
    with Reader(exhibit) as reader:
        assert control.pending(reader, Job("run", LIVE)) == ()
        assert reader.run(LIVE).state == "running"


async def test_the_code_is_copied(exhibit: Path) -> None:
    app = open_app(exhibit, DONE)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("y")
        assert app.clipboard.startswith("def score(feature, state):")


async def test_code_too_long_to_be_copied_goes_to_a_file(
    exhibit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.app.app.CLIPBOARD_LIMIT", 10)
    app = open_app(exhibit, DONE)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("y")
        assert app.clipboard == ""
    written = exhibit.parent / f"run{DONE}_p0013.py"
    assert written.read_text("utf-8").startswith("def score(feature, state):")


async def test_one_pane_at_a_time_on_a_small_terminal(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=SMALL) as pilot:
        shown = [pane.id for pane in app.screen.query(".pane") if pane.region.area]
        assert shown == ["population"]
        await pilot.press("5")
        shown = [pane.id for pane in app.screen.query(".pane") if pane.region.area]
        assert shown == ["diff"]
        await pilot.press("tab")
        assert app.focused is app.screen.query_one("#events")


async def test_all_panes_on_a_large_terminal_or_one_of_them_zoomed(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=WIDE) as pilot:
        panes = app.screen.query(".pane")
        assert all(pane.region.area for pane in panes)
        await pilot.press("2", "z")
        assert [pane.id for pane in panes if pane.region.area] == ["pareto"]
        assert app.screen.query_one("#pareto").region.width == 160
        await pilot.press("z")
        assert all(pane.region.area for pane in panes)


async def test_a_terminal_too_small_is_told_so(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=(50, 12)) as pilot:
        assert app.screen.query_one("#too-small").region.area
        assert not app.screen.query_one("#body").region.area
        await pilot.resize_terminal(*SMALL)
        assert not app.screen.query_one("#too-small").region.area
        assert app.screen.query_one("#population").region.area


async def test_help_is_opened_and_closed_by_its_key(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("?")
        assert isinstance(app.screen, HelpScreen)
        await pilot.press("?")
        assert isinstance(app.screen, RunScreen)


async def test_enter_opens_the_program_and_escape_comes_back(exhibit: Path) -> None:
    app = open_app(exhibit, DONE)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("enter")
        assert isinstance(app.screen, ProgramScreen)
        await pilot.press("escape")
        assert isinstance(app.screen, RunScreen)
        await pilot.press("escape")
        assert isinstance(app.screen, RunsScreen)


async def test_the_answer_for_a_child_is_shown_before_it_is_judged(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=WIDE) as pilot:
        pane = app.screen.query_one(DiffPane)
        await pilot.press("g")
        assert text_of(pane) == ""
        await pilot.press("j")
        assert "return 1.0" in text_of(pane)


async def test_a_child_under_way_cannot_be_opened_yet(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("g", "enter")
        assert isinstance(app.screen, RunScreen)
        assert "in progress" in toasts(app)[0]


async def test_a_run_without_programs_says_why(exhibit: Path) -> None:
    app = open_app(exhibit, FAILED)
    async with app.run_test(size=SMALL) as pilot:
        assert "the problem folder ./shop has no problem.py" in text_of(app.screen)
        await pilot.press("y")
        assert toasts(app) == ["there is no program here yet"]


async def test_a_hung_engine_is_shown_and_not_called_dead(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    app.clock = lambda: NOW + 100
    async with app.run_test(size=WIDE):
        assert "! no heartbeat for 100 s" in text_of(app.screen)
        assert "? hung" in text_of(app.screen)


async def test_a_late_heartbeat_is_no_dead_engine(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    app.clock = lambda: NOW + 60
    async with app.run_test(size=WIDE):
        assert "◔ busy" in text_of(app.screen)
        assert "◔ heartbeat 60 s late" in text_of(app.screen)


async def test_a_run_that_rests_names_the_key_to_go_on_at_any_width(exhibit: Path) -> None:
    app = open_app(exhibit, LOST)
    async with app.run_test(size=SMALL) as pilot:
        hints = str(app.screen.query_one(Hints).content)
        assert hints.startswith(" r resume")
        await pilot.press("x")
        told = text_of(app.screen)
        assert "No engine is at work on run 1. Mark it as stopped?" in told
        assert "y mark as stopped" in told


async def test_progress_tells_generations_calls_money_and_time_left(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=WIDE):
        told = str(app.screen.query_one(ProgressPane).content)
        for words in (
            " 2/5 ",
            "children",
            "calls ██░░░ 15/30",
            "usd █░░░░ $0.560 of $5.00",
            "ETA 1:36",
            "calls/min",
        ):
            assert words in told


async def test_the_first_minute_counts_the_seeds_evaluated_and_asked_about(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=WIDE):
        screen = app.screen
        assert isinstance(screen, RunScreen) and screen.snapshot is not None
        seeds = (
            ChildInProgress(0, 0, "ready", NOW, cost=9.0, agreement=0.5),
            ChildInProgress(0, 1, "diagnosing", NOW, cost=8.0),
            ChildInProgress(0, 2, "evaluating", NOW),
        )
        members = tuple(replace(screen.snapshot.members[0], child=c) for c in seeds)
        row = replace(screen.snapshot.row, seconds=7.0)
        first = replace(screen.snapshot, opened=0, members=members, row=row)
        told = str(screen.query_one(ProgressPane).write(first, 160))
        assert "seeds 2/3 evaluated, teacher 1/3, about 14 s" in told


async def test_both_figures_of_the_winner_stand_on_the_screen_of_a_finished_run(
    exhibit: Path,
) -> None:
    winner, _ = choose_another(exhibit)
    app = open_app(exhibit, DONE)
    async with app.run_test(size=WIDE):
        assert selected(app) == winner
        told = str(app.screen.query_one(ProgressPane).content)
        assert f"best {winner} " in told
        assert "on selection 1990.25" in told
        assert "selection 1990.25  the best" in text_of(app.screen)


async def test_a_long_history_is_read_in_pieces_and_keys_are_heard_in_between(
    exhibit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.monitor.monitor.PIECE", 5)
    monkeypatch.setattr("tui.screens.run.PATIENCE", 0.0)
    headers: list[str] = []
    read = Monitor.read_ahead

    def read_ahead(monitor: Monitor) -> int:
        headers.extend(str(header.content) for header in app.screen.query(RunHeader))
        return read(monitor)

    monkeypatch.setattr(Monitor, "read_ahead", read_ahead)
    app = open_app(exhibit, DONE)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("2")
        assert app.focused is app.screen.query_one("#pareto")
        await until(pilot, lambda: screen_of(app).snapshot)
        assert selected(app) == "p0013"
        assert " run 3  reading 18 programs …" in headers


async def test_a_store_that_cannot_be_read_for_a_while_is_told_once(
    exhibit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=SMALL) as pilot:

        def fail() -> int:
            raise StoreError("runs.db: disk I/O error")

        monkeypatch.setattr(app.reader, "data_version", fail)
        screen_of(app).look()
        screen_of(app).look()
        await until(pilot, lambda: toasts(app))
        assert toasts(app) == ["runs.db: disk I/O error"]


async def test_a_crash_shows_no_local_variables(
    exhibit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app = open_app(exhibit, LIVE)

    def crash() -> None:
        secret = "sk-" + "very" * 3
        raise RuntimeError(f"length {len(secret)}")

    with pytest.raises(RuntimeError, match="length 15"):
        async with app.run_test(size=SMALL) as pilot:
            app.call_later(crash)
            await pilot.pause()
    told = capsys.readouterr()
    assert "length 15" in told.err
    assert "veryveryvery" not in told.err + told.out


async def test_the_screen_closes_when_the_engine_does_not_come(exhibit: Path) -> None:
    launched: Future[int] = Future()
    launched.set_exception(WorldError("the engine died before it took the run over"))
    app = Preceptor(exhibit, LIVE, launched)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
    assert not app.is_running
    assert app.return_code == 0


async def test_the_analyzer_is_shown_with_what_became_of_each_brief(tmp_path: Path) -> None:
    import_demo(tmp_path / "runs.db")
    app = open_app(tmp_path / "runs.db", 1)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: isinstance(app.screen, RunScreen) and app.screen.snapshot)
        await pilot.press("i")
        assert isinstance(app.screen, ReflectionScreen)
        pane = app.screen.query_one("#reflection")
        assert str(pane.border_title) == "gen 5"
        told = "\n".join(str(one.content) for one in pane.query(Static))
        for part in ("slot 1", "→ p0", "survived, cost", "── user ──", "── reply of"):
            assert part in told
        await pilot.press("left_square_bracket")
        assert str(pane.border_title) == "gen 4"


async def test_a_run_without_briefs_says_so(exhibit: Path) -> None:
    app = open_app(exhibit, FAILED)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("i")
        (note,) = app._notifications
        assert note.message == "no analyzer has spoken in this run yet"


async def test_what_the_teacher_reaches_and_whether_it_is_used_stand_on_the_screen(
    exhibit: Path,
) -> None:
    with Store(exhibit) as store:
        told = [Event(TeacherMeasured("offline-l2d", 1921.3))]
        told.append(Event(Note(TEACHER_WORD, "the teacher's word:\n+0.400 \x1b[2J%, used"), 2))
        told.append(Event(Note(LEFT_OUT, "teacher left out since generation 2: why"), 2))
        store.search_log.record_events(LIVE, told)
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=WIDE):
        shown = str(app.screen.query_one(ProgressPane).content)
        best = min(one.cost for one in Reader(exhibit).population(LIVE) if one.cost)
        assert f"the teacher itself 1921.3, best program {number(best)}" in shown
        assert "teacher left out since generation 2: why" in shown
        assert "the teacher's word: +0.400 \\u001b[2J%, used" in shown
        assert "\x1b" not in shown


async def test_a_run_of_a_removed_variant_is_shown_as_it_was(tmp_path: Path) -> None:
    import_gone(tmp_path / "runs.db")
    app = open_app(tmp_path / "runs.db", 1)
    async with app.run_test(size=SMALL) as pilot:
        await until(pilot, lambda: any("1806.48" in line for line in pictures(app)))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ProgramScreen))
        await pilot.press("w")
        await until(pilot, lambda: any("state=plan is gone" in line for line in pictures(app)))
