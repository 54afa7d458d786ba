"""The screen of a program: lineage, code, diff against a relative, cases, prompt and reply."""

from __future__ import annotations

import tempfile
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.pilot import Pilot
from textual.widgets import Static

from engine.api.measure.decision import DrawnDecision, DrawnStep
from engine.domain.text.plain_text import clean
from engine.domain.tuning import Tuning
from engine.domain.values import Candidate, Case
from engine.store.store import Store
from tests.engine.builders import import_demo
from tests.tui.exhibit import DONE, choose_another, open_app, until
from tui.app.app import Preceptor
from tui.screens.program import ProgramScreen, RolloutScreen, origin_of
from tui.text.formatting import number
from tui.widgets.cases import describe_drawn_case, describe_step
from tui.widgets.code import DiffPane
from tui.widgets.exchange import describe_calls
from tui.widgets.lineage import Lineage, ancestors, offspring

WIDE, SMALL = (160, 48), (80, 24)


async def open_program(pilot: Pilot[None], app: Preceptor, id: str) -> ProgramScreen:
    """The screen of a program of the finished run."""
    screen = ProgramScreen(DONE, id)
    await app.push_screen(screen)
    await pilot.pause()
    return screen


def text_of(screen: ProgramScreen, pane: str) -> str:
    """What a pane says, without its colours."""
    return "\n".join(
        str(static.content) for static in screen.query(f"#{pane} Static").results(Static)
    )


def known_of(screen: ProgramScreen) -> dict[str, Candidate]:
    """The run's programs by name."""
    found = screen.app.reader.candidates(DONE)
    return {candidate.id: candidate for candidate in found}


async def test_code_cases_and_prompt_are_shown_in_full(exhibit: Path) -> None:
    app = open_app(exhibit, DONE)
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_program(pilot, app, "p0013")
        assert "def score(feature, state):" in text_of(screen, "code")
        cases = " ".join(text_of(screen, "cases").split())
        assert "agreement 0.533 ± 0.008 (chance 0.121)" in cases
        assert "9 actions: takes 4, the teacher 7" in cases
        assert "remaining_work 140 ≠ 322" in cases
        prompt = text_of(screen, "prompt")
        assert "You design dispatching rules." in prompt
        assert "return 1.0" in prompt
        assert '{"id": "r-1"}' in prompt


async def test_a_long_text_stands_in_blocks_and_is_the_same_text(
    exhibit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app(exhibit, DONE)
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_program(pilot, app, "p0013")
        whole = text_of(screen, "cases")
        assert len(screen.query("#cases Static")) == 1
        monkeypatch.setattr("tui.widgets.text_pane.BLOCK", 3)
        for id in ("p0000", "p0013"):
            screen.show(id)
            await pilot.pause()
        assert len(screen.query("#cases Static")) == -(-len(whole.splitlines()) // 3)
        assert text_of(screen, "cases") == whole


async def test_a_seed_was_asked_of_nobody(exhibit: Path) -> None:
    app = open_app(exhibit, DONE)
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_program(pilot, app, "p0000")
        assert "is a seed" in text_of(screen, "prompt")
        assert str(screen.query_one(DiffPane).border_title) == "code p0000"


async def test_the_relative_under_the_cursor_is_compared_with(exhibit: Path) -> None:
    app = open_app(exhibit, DONE)
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_program(pilot, app, "p0013")
        diff = screen.query_one(DiffPane)
        relatives = [kin.candidate.id for kin in ancestors("p0013", known_of(screen))]
        assert str(diff.border_title) == f"diff {relatives[1]} → p0013"
        await pilot.press("1", "j", "j")
        assert str(diff.border_title) == f"diff {relatives[2]} → p0013"


async def test_enter_opens_the_relative(exhibit: Path) -> None:
    app = open_app(exhibit, DONE)
    async with app.run_test(size=SMALL) as pilot:
        screen = await open_program(pilot, app, "p0013")
        parent = known_of(screen)["p0013"].parents[0]
        await pilot.press("1", "j", "enter")
        assert screen.id_shown == parent
        assert f"program {parent}" in text_of(screen, "header") or parent in str(
            screen.query_one("#header", Static).content
        )


async def test_every_pane_is_reached_by_its_digit_on_a_small_terminal(exhibit: Path) -> None:
    app = open_app(exhibit, DONE)
    async with app.run_test(size=SMALL) as pilot:
        screen = await open_program(pilot, app, "p0013")
        for digit, name in enumerate(ProgramScreen.PANES, start=1):
            await pilot.press(str(digit))
            shown = [pane.id for pane in screen.query(".pane") if pane.region.area]
            assert shown == [name]


async def test_the_code_of_the_program_shown_is_copied(exhibit: Path) -> None:
    app = open_app(exhibit, DONE)
    async with app.run_test(size=SMALL) as pilot:
        screen = await open_program(pilot, app, "p0006")
        await pilot.press("y")
        assert app.clipboard == known_of(screen)["p0006"].program.code


async def test_the_lineage_holds_ancestors_once_and_children(exhibit: Path) -> None:
    app = open_app(exhibit, DONE)
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_program(pilot, app, "p0013")
        known = known_of(screen)
        kin = ancestors("p0013", known)
        whole = [one.candidate.id for one in kin if not one.again]
        assert len(whole) == len(set(whole))
        assert set(known["p0013"].parents) <= set(whole)
        children = {one.candidate.id for one in offspring("p0013", known)}
        assert children == {c.id for c in known.values() if "p0013" in c.parents}
        assert screen.query_one(Lineage).option_count == len(kin) + len(children)


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A store with the run that ships: its actions are those of real programs."""
    import_demo(tmp_path / "recorded.db")
    return tmp_path / "recorded.db"


async def test_decisions_are_drawn_one_at_a_time(recorded: Path) -> None:
    app = open_app(recorded, 1)
    async with app.run_test(size=SMALL) as pilot:
        await app.push_screen(ProgramScreen(1, "p0010"))
        await pilot.press("d")
        pane = app.screen.query_one("#decision")

        def told() -> str:
            return "\n".join(str(static.content) for static in pane.query(Static))

        await until(pilot, lambda: "after the teacher's choice" in told())
        assert "decision 1 of 12" in str(pane.border_title)
        assert told().count("makespan ") >= 2
        await pilot.press("[")
        await until(pilot, lambda: "after the teacher's choice" in told())
        assert "decision 12 of 12" in str(pane.border_title)
        await pilot.press("]", "w")
        pane = app.screen.query_one("#step")
        first = await step_of(pilot, app)
        assert "the teacher" in told()
        await pilot.press("}", "l", "h", "h")
        later = await step_of(pilot, app)
        assert later == (first[0], first[1] + 9)
        assert "takes" in told()
        await pilot.press(">")
        assert (await step_of(pilot, app))[0] == first[0] + 1
        await pilot.press("<")
        assert isinstance(app.screen, RolloutScreen)
        app.screen.action_step(10_000)
        _, step = await step_of(pilot, app)
        assert f"decision {step} of {step} " in f"{pane.border_title} "
        await pilot.press("escape", "escape")
        assert isinstance(app.screen, ProgramScreen)


async def step_of(pilot: Pilot[None], app: Preceptor) -> tuple[int, int]:
    """The instance shown and the number of its decision, once it is drawn."""
    screen = app.screen
    assert isinstance(screen, RolloutScreen)
    pane = screen.query_one("#step")
    title = f"instance {screen.instance} of"
    wanted = f"decision {screen.step + 1} of"
    shown = lambda: title in (told := str(pane.border_title)) and wanted in told  # noqa: E731
    await until(pilot, shown)
    return screen.instance, screen.step + 1


async def test_a_decision_that_the_store_does_not_hold_says_so(exhibit: Path) -> None:
    app = open_app(exhibit, DONE)
    async with app.run_test(size=SMALL) as pilot:
        await open_program(pilot, app, "p0013")
        await pilot.press("d")
        pane = app.screen.query_one("#decision")
        wanted = f"the instances of run {DONE} are not those of its design set now"
        await until(pilot, lambda: any(wanted in str(s.content) for s in pane.query(Static)))


async def test_a_program_without_a_teachers_word_has_no_decisions(exhibit: Path) -> None:
    app = open_app(exhibit, DONE)
    async with app.run_test(size=SMALL) as pilot:
        await open_program(pilot, app, "p0017")
        await pilot.press("d")
        assert isinstance(app.screen, ProgramScreen)
        assert [toast.message for toast in app._notifications] == [
            "no teacher has diagnosed this program"
        ]


CASE = Case(0, 0, 0.5, 3, 1, 2, 0.5, (("load", 1.0),), (("load", 2.0),))


@given(st.lists(st.text(), max_size=3), st.integers(0, 200))
def test_a_drawn_decision_is_plain_whatever_a_problem_draws(
    pictures: list[str], width: int
) -> None:
    told = str(describe_drawn_case(CASE, pictures[:2] or [""], width))
    assert clean(told) == told


@given(st.text("abc_", min_size=1, max_size=40), st.floats(allow_nan=False), st.integers(32, 200))
def test_the_fields_of_a_case_stay_in_their_line(name: str, value: float, width: int) -> None:
    case = replace(CASE, chosen_fields=((name, value),), preferred_fields=((name, 2.0),))
    *_, line = [row for row in str(describe_drawn_case(case, [""], width)).split("\n") if row]
    assert line.startswith(f"  {name[:7]}")
    assert len(line) <= max(width, 32) or len(number(value)) > 9
    assert line.split()[-1] == "2"


def test_the_headline_of_a_decision_is_whole_at_80_columns() -> None:
    """It ended before the second of the two costs, which matter most."""
    case = replace(CASE, instance=127, step=312, actions=20, later=True, costs=(2166.5, 2087.25))
    told = str(describe_drawn_case(case, [""], 76))
    words = " ".join(told.split())
    assert "(cost 2166.5 at the end)" in words
    assert "(cost 2087.25 at the end), regret" in words
    assert max(map(len, told.split("\n"))) <= 76


def test_the_prompt_of_a_tuned_program_does_not_call_it_a_seed(exhibit: Path) -> None:
    with Store(exhibit) as store:
        made = replace(store.candidate(DONE, "p0013"), id="p0099", slot=9, parents=("p0013",))
        tuned = replace(made, operator="tune", tuning=Tuning("p0013", (), 9, 99, 100.0, 50.0))
    assert str(describe_calls((), origin_of(tuned), 80)) == (
        "no writer was called for this program: its constants were found by search, from p0013"
    )
    assert origin_of(replace(made, generation=0)) == "it is a seed"
    assert origin_of(replace(made, operator="m")) == "operator m made it from p0013"


def test_where_two_pictures_differ_stands_out() -> None:
    told = describe_drawn_case(CASE, ["a" * 20 + "b", "a" * 20 + "c"], 80)
    reversed_spans = [span for span in told.spans if "reverse" in str(span.style)]
    marked = [told.plain[span.start : span.end] for span in reversed_spans]
    assert marked == ["b", "c"]


def test_pictures_of_another_scale_are_not_marked_all_over() -> None:
    told = describe_drawn_case(CASE, ["ab" * 50, "ba" * 50], 80)
    assert not [span for span in told.spans if "reverse" in str(span.style)]


@pytest.mark.parametrize(("width", "beside"), [(157, True), (156, False), (80, False)])
def test_two_maps_stand_beside_each_other_where_both_fit(width: int, beside: bool) -> None:
    maps = ["a" * 77 + "b", "a" * 77 + "c"]
    told = str(describe_drawn_case(CASE, maps, width))
    assert (f"{maps[0]} {maps[1]}" in told) == beside
    assert all(one in told for one in maps)


@pytest.mark.parametrize("sign", ["o", "漢"])
async def test_a_picture_of_80_columns_fits_a_terminal_of_80(
    sign: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_demo(tmp_path / "runs.db")
    picture = sign * (80 // cell_len(sign))
    drawn = DrawnDecision(picture, picture)
    read = SimpleNamespace(draw_case=lambda _: drawn)
    monkeypatch.setattr("engine.api.measure.decision.read_rollouts", lambda *_: read)
    app = open_app(tmp_path / "runs.db", 1)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(ProgramScreen(1, "p0010"))
        await pilot.press("d")
        pane = app.screen.query_one("#decision")
        await until(pilot, lambda: any(picture in str(s.content) for s in pane.query(Static)))
        await pilot.press("G")
        await pilot.pause()
        lines = [strip.text for strip in app.screen._compositor.render_strips()]
        assert picture in lines


@given(st.text(max_size=40), st.text(max_size=40), st.integers(0, 200))
def test_a_drawn_step_is_plain_whatever_a_problem_draws(
    before: str, after: str, width: int
) -> None:
    drawn = DrawnStep(3, 9, (("load\x1b[2J", 1.0),), before, after)
    for case in (None, CASE):
        told = str(describe_step(drawn, case, width))
        assert clean(told) == told
        assert told.startswith("takes 3, one of 9 actions")
        whole = replace(drawn, actions=0, before="")
        assert clean(told := str(describe_step(whole, case, width))) == told
        assert "takes" not in told


def test_what_came_of_a_step_is_first_where_both_pictures_do_not_fit() -> None:
    drawn = DrawnStep(3, 9, (("load", 1.0),), "o@", "@o")
    narrow, wide = (str(describe_step(drawn, None, width)) for width in (8, 80))
    assert narrow.index("after") < narrow.index("before") < narrow.index("load")
    assert wide.index("load") < wide.index("before") < wide.index("after")


async def test_the_smallest_head_has_the_figures_and_leaves_chance_out(
    exhibit: Path,
) -> None:
    id, _ = choose_another(exhibit)
    app = open_app(exhibit, DONE)
    async with app.run_test(size=(60, 16)) as pilot:
        await app.push_screen(ProgramScreen(DONE, id))
        await pilot.pause()
        head = app.screen.query_one("#header", Static)
        text = str(head.content)
        assert text.index("cost") < text.index("selection") < text.index("agreement 0.")
        assert "chance" not in text


async def test_an_editor_gets_a_copy_and_a_changed_one_is_kept(
    exhibit: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app(exhibit, DONE)
    monkeypatch.setattr(app, "suspend", nullcontext)  # a test has no terminal to give away
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.delenv("VISUAL", raising=False)
    async with app.run_test(size=SMALL) as pilot:
        await open_program(pilot, app, "p0013")
        monkeypatch.setenv("EDITOR", "true")
        await pilot.press("ctrl+e")
        assert not list(tmp_path.rglob("*.py"))
        monkeypatch.setenv("EDITOR", "sed -i 1i#mine")
        await pilot.press("ctrl+e")
        (kept,) = tmp_path.rglob("*.py")
        assert kept.read_text().startswith("#mine\n")
        (toast,) = app._notifications
        assert str(kept) in toast.message


def test_every_job_of_a_chart_has_a_colour_of_its_own_in_all_its_rows() -> None:
    chart = "step 4   makespan 9\nm0    00011·\nm1    ·1100·"
    drawn = describe_drawn_case(CASE, [chart], 76)
    styles = {drawn.plain[span.start : span.end]: str(span.style) for span in drawn.spans}
    assert styles["000"] == styles["00"] != styles["11"]
