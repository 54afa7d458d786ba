"""What `/` does: words marked in a text, events and programs that fit them."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from textual.content import Content
from textual.strip import Strip

from tests.tui.exhibit import DONE, LIVE, open_app
from tui.app.app import Preceptor
from tui.screens.boxes import TextBox
from tui.screens.forms import LaunchScreen
from tui.screens.program import ProgramScreen
from tui.widgets.events import EventsPane
from tui.widgets.frame import Hints
from tui.widgets.population import PopulationTable
from tui.widgets.text_pane import FOUND, HERE, ReadingPane, find_places, mark_places

WIDE, SMALL = (160, 48), (80, 24)


def painted(app: Preceptor) -> list[Strip]:
    """The lines of the screen."""
    return app.screen._compositor.render_strips()


def title_of(app: Preceptor, selector: str) -> str:
    """The title of a pane."""
    return str(app.screen.query_one(selector).border_title)


async def test_words_are_counted_marked_and_gone_through(exhibit: Path) -> None:
    app = open_app(exhibit, DONE)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("enter", "2")
        pane = app.screen.query_one("#code", ReadingPane)
        lines = [f"line {k} {'long ' * 40}" for k in range(90)]
        pane.show("text", lambda width: Content("\n".join(lines)))
        await pilot.press("slash", *"LINE 8", "enter")
        await pilot.pause()
        assert app.screen.focused is pane
        assert title_of(app, "#code") == "text · /LINE 8 1 of 11"
        await pilot.press("N")
        await pilot.pause()
        assert title_of(app, "#code") == "text · /LINE 8 11 of 11"
        assert any(strip.text.startswith("┃line 89 ") for strip in painted(app))
        await pilot.press("n", "n")
        assert title_of(app, "#code") == "text · /LINE 8 2 of 11"
        pane.show("other", lambda width: Content("nothing of the kind"))
        assert title_of(app, "#code") == "other · /LINE 8 not found"
        await pilot.press("slash", "escape")
        assert title_of(app, "#code") == "other"
        await pilot.press("N")
        assert isinstance(app.screen, LaunchScreen)


async def test_events_are_filtered_counted_and_opened(exhibit: Path) -> None:
    app = open_app(exhibit, DONE)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("6", "slash", *"kind:teacher p0004", "enter")
        pane = app.screen.query_one(EventsPane)
        assert str(app.screen.query_one(Hints).content).count("Enter") == 1
        assert {event.fact.program for event in pane._events} == {"p0004"}  # type: ignore[union-attr]
        assert f"events {len(pane._events)} of {len(pane._all)} ·" in title_of(app, "#events")
        await pilot.press("enter")
        assert isinstance(app.screen, ProgramScreen)
        assert app.screen.id_shown == "p0004"
        await pilot.press("escape", "slash", "escape", "G", "k", "g")
        assert "f follows the newest" in title_of(app, "#events")
        await pilot.press("enter")
        assert isinstance(app.screen, TextBox)
        await pilot.press("escape", "f")
        assert title_of(app, "#events") == "events"
        for opened in (False, True):
            await pilot.click(EventsPane, offset=(10, 3))
            assert (app.screen is not pane.screen) is opened


async def test_a_word_of_the_code_finds_the_programs_that_hold_it(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("a", "slash", *"code:machine_queue_len", "enter")
        table = app.screen.query_one(PopulationTable)
        assert table._snapshot is not None
        holding = {
            member.place
            for member in table._snapshot.members
            if member.candidate and "machine_queue_len" in member.candidate.program.code
        }
        assert set(table.row_keys) == holding
        assert f"filter code:machine_queue_len: {len(holding)} found" in str(table.border_title)
        await pilot.press("slash", *["backspace"] * 30, *"machine_queue_len", "enter")
        assert table.row_keys == []


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=60), st.text(max_size=4))
def test_no_text_and_no_words_break_the_search(text: str, words: str) -> None:
    content = Content(text)
    places = find_places(content.plain, words)
    assert all(
        content.plain[start:end].casefold() == words.casefold()
        or content.plain[start:end].lower() == words.lower()
        for start, end in places
        if words.isascii()
    )
    marked = mark_places(content, places, 0)
    assert marked.plain == content.plain
    assert [span.style for span in marked.spans] == ([HERE] + [FOUND] * len(places))[: len(places)]
