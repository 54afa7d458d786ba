"""A hostile run, shown by every command and on every screen, makes no terminal do anything."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine.domain.text.plain_text import clean
from problems import own_code
from tests.conftest import TOY, Shell
from tests.tui import hostile_run
from tests.tui.exhibit import DONE, FAILED, LIVE, LOST, open_app, until
from tests.tui.hostile_run import ATTACK, trouble
from tests.tui.terminal import PATIENCE, Pty
from tui import cli
from tui.app.app import Preceptor
from tui.screens.program import ProgramScreen
from tui.screens.run import RunScreen

PROGRAM = "p0013"
SIZES = ((80, 24), (160, 48))
FILE = f"{ATTACK.replace('/', '').replace(chr(0), '')}.py"
"""A name that a file may have."""

RAISING = f"""def score(item, state):
    raise ValueError({ATTACK!r})
"""


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hostile store, built once."""
    db = tmp_path_factory.mktemp("hostile") / "runs.db"
    hostile_run.build(db)
    return db


@pytest.fixture
def db(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it in the working folder."""
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copy(built, tmp_path))


def hear(*words: str) -> str:
    """All that a command writes to a terminal that has no screen."""
    terminal = Pty(words, (120, 40), TERM="dumb")
    heard = terminal.read(PATIENCE)
    terminal.process.wait(PATIENCE)
    terminal.close()
    return heard.decode().replace("\r\n", "\n")


def assert_plain(heard: str) -> None:
    """Not one unsafe character: a command without a screen writes none of its own."""
    assert heard
    assert "Traceback" not in heard
    assert [line for line in heard.split("\n") if clean(line) != line] == []


SHOWING = {
    "runs": ("runs",),
    "runs as JSON": ("runs", "--json"),
    "a run": ("show", str(DONE)),
    "a run as JSON": ("show", str(DONE), "--json"),
    "a failed run": ("show", str(FAILED)),
    "an interrupted run": ("show", str(LOST)),
    "a program": ("show", str(DONE), PROGRAM),
    "a program as JSON": ("show", str(DONE), PROGRAM, "--json"),
    "the end of a run": ("watch", str(DONE)),
    "an interrupted run watched": ("watch", str(LOST)),
    "events as JSON": ("watch", str(DONE), "--json"),
    "runs side by side": ("compare", str(DONE), str(LOST)),
    "runs side by side as JSON": ("compare", str(DONE), str(LOST), "--json"),
    "a study": ("watch", "study:1"),
    "a settings file": ("study", f"./{FILE}.toml"),
    "a writer": ("check", "jssp", "--llm", ATTACK.replace("\0", "")),
    "a word": ("show", ATTACK.replace("\0", "")),
    "a problem": ("run", f"./{ATTACK}".replace("\0", "")),
    "an option": ("run", "jssp", "--option", ATTACK.replace("\0", "")),
    "a flag": ("runs", f"--{ATTACK}".replace("\0", "")),
}


@pytest.mark.parametrize("words", SHOWING.values(), ids=SHOWING)
def test_a_command_in_a_terminal_writes_nothing_that_it_obeys(
    words: tuple[str, ...], db: Path
) -> None:
    assert_plain(hear(*words, *(("--db", str(db)))))


def test_files_and_errors_of_programs_are_told_plainly(db: Path) -> None:
    file = db.parent / FILE
    file.write_text(RAISING)
    bench = hear("bench", TOY, "--program", str(file), "--solver", "smith", "--db", str(db))
    assert_plain(bench)
    assert "ValueError" in bench
    assert_plain(hear("diagnose", TOY, "--program", str(file), "--db", str(db)))
    missing = hear("bench", TOY, "--program", str(file.with_name(f"x{FILE}")), "--db", str(db))
    assert_plain(missing)
    assert "No such file" in missing


def test_a_hostile_run_travels_and_is_clean_where_it_arrives(db: Path, tmp_path: Path) -> None:
    recording = tmp_path / f"{FILE}.run"
    assert_plain(hear("export-run", str(DONE), "-o", str(recording), "--db", str(db)))
    away = ("--db", str(tmp_path / "away.db"))
    assert_plain(hear("import", str(recording), *away))
    assert_plain(hear("show", str(DONE), PROGRAM, *away))
    with closing(sqlite3.connect(tmp_path / "away.db")) as store:
        assert [line for line in store.iterdump() if clean(line) != line] == []


def test_every_export_is_told_plainly(db: Path, tmp_path: Path) -> None:
    file = tmp_path / FILE
    told = hear("export", str(DONE), "--program", PROGRAM, "-o", str(file), "--db", str(db))
    assert_plain(told)


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_every_screen_is_plain_before_it_is_painted(size: tuple[int, int], db: Path) -> None:
    app = open_app(db)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        for keys in (
            *("j", "j", "space", "j", "space", "c", "tab", "tab", "tab", "z", "escape", "escape"),
            *("n", "escape", "t", "escape", "b", "escape", "question_mark", "escape"),
            *("u", "j", "l", "v", "2", "3", "w", "escape", "escape", "j", "m", "escape"),
            *("T", "escape", "U", "escape", "N", "escape", "s", "o", "l", "escape"),
            *("E", "escape", "L", "down", "2", "escape", "slash", "P", "enter", "ctrl+p"),
        ):
            await pilot.press(keys)
            await pilot.pause()
            assert_screen(app)


@pytest.mark.parametrize("run", [DONE, LIVE, LOST, FAILED])
@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_every_pane_of_a_run_is_plain(run: int, size: tuple[int, int], db: Path) -> None:
    app = open_app(db, run)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: isinstance(app.screen, RunScreen))
        for keys in (
            "1",
            "a",
            "2",
            "3",
            "c",
            "comma",
            "4",
            "5",
            "v",
            "6",
            "slash",
            "P",
            "enter",
            "k",
            "enter",
            "escape",
            "z",
            "full_stop",
            "1",
            "y",
        ):
            await pilot.press(keys)
            await pilot.pause()
            assert_screen(app)
        if run != FAILED:
            for keys in ("i", "left_square_bracket", "G", "escape"):
                await pilot.press(keys)
                await pilot.pause()
                assert_screen(app)
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, ProgramScreen))
            for keys in ("1", "2", "3", "4", "5", "slash", "P", "enter", "n", "G", "z", "y", "w"):
                await pilot.press(keys)
                await pilot.pause()
                assert_screen(app)


async def test_the_clipboard_and_notices_are_plain(db: Path) -> None:
    app = open_app(db, DONE)
    async with app.run_test(size=SIZES[1]) as pilot:
        app.copy_to_clipboard(ATTACK)
        assert app.clipboard == clean(ATTACK)
        app.notify(f"{ATTACK} [@click=app.leave]x[/]", severity="error")
        await pilot.pause()
        (notice,) = app._notifications
        assert notice.message == f"{clean(ATTACK)} [@click=app.leave]x[/]"
        assert not notice.markup
        assert_screen(app)


async def test_a_crash_is_told_plainly(db: Path, capsys: pytest.CaptureFixture[str]) -> None:
    app = open_app(db, DONE)
    async with app.run_test():
        try:
            raise ValueError(ATTACK)
        except ValueError:
            app._fatal_error()
    told = capsys.readouterr().err
    assert "ValueError: \\u001b]0;PWNED" in told
    assert clean(told) == told


async def test_a_crash_shows_no_local_variable(
    db: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app = open_app(db, DONE)
    with pytest.raises(ZeroDivisionError):
        async with app.run_test() as pilot:

            def crash() -> None:
                key = "".join(("canary", "-of-", "a-key"))
                raise ZeroDivisionError(len(key))

            app.call_later(crash)
            await until(pilot, lambda: app._exception)
    told = capsys.readouterr().err
    assert "ZeroDivisionError" in told
    assert "canary-of-a-key" not in told


def test_an_unforeseen_error_is_told_plainly(
    preceptor: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise LookupError(ATTACK)

    monkeypatch.setattr(cli, "runs", fail)
    monkeypatch.setattr(own_code, "_ROOTS", {})  # no file of the user's own has been run
    ended = preceptor()
    assert ended.code == 1
    assert f"LookupError: {clean(ATTACK)}" in ended.err
    assert clean(ended.err) == ended.err


def assert_screen(app: Preceptor) -> None:
    """No line of what is painted holds an unsafe character."""
    lines = [strip.text for strip in app.screen._compositor.render_strips()]
    assert any(lines)
    assert [line for line in lines if clean(line) != line] == []


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_screen_in_a_terminal_writes_no_sequence_of_the_run(
    size: tuple[int, int], db: Path
) -> None:
    terminal = Pty(("watch", str(DONE), "--db", str(db)), size)
    heard = terminal.read(PATIENCE, until=b"population")
    for key in ("2", "3", "4", "5", "6", "1", "\r", "2", "3", "4", "5", "\x1b"):
        terminal.press(key)
        heard += terminal.settle()
    terminal.press("q")
    heard += terminal.read(PATIENCE, until=b"export it with")
    terminal.close()
    terminal.process.wait(PATIENCE)
    assert trouble(heard.decode()) == []
    assert "u001b" in heard.decode()
