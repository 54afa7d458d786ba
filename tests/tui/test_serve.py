"""`preceptor serve`: who has the address sees the screens in a browser, and changes nothing."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import ROOT, Shell
from tests.tui.schemas import read_document
from tests.tui.terminal import PATIENCE, PRECEPTOR
from tui.app.app import Preceptor
from tui.app.palette import places
from tui.commands import serve as browser
from tui.commands.viewing import READ_ONLY
from tui.screens.program import ProgramScreen
from tui.screens.run import RunScreen
from tui.screens.study import StudyScreen
from tui.widgets import keymap as keys
from tui.widgets.frame import Hints

LOOKING = frozenset(
    (
        *("show_help", "command_palette", "leave", "back", "next_pane", "pane", "zoom", "copy"),
        *(
            "decisions",
            "page",
            "suspend_process",
            "turn",
            "open",
            "reflection",
            "announce",
            "select",
            "seed",
            "figure",
        ),
        *("page", "suspend_process"),
        *("winner", "cursor_down", "cursor_up", "first", "last", "page_down", "page_up"),
        *("filter", "sort", "reverse", "all", "walk", "zoom_in", "zoom_out", "fit", "clock"),
        *(
            "other",
            "spending",
            "split",
            "hunk",
            "follow",
            "scroll_down",
            "scroll_up",
            "scroll_home",
        ),
        *("scroll_end", "mark", "compare", "teachers", "benchmarks", "studies", "choose"),
        *(
            "focus_next",
            "focus_previous",
            "found",
            "group",
            "leaderboard",
            "doctor",
            "settings",
            "redraw",
        ),
        *("rollout", "step", "instance"),
    )
)
"""The actions that change nothing; one that does belongs in `keymap.CHANGING`."""

REFUSED = (
    *("New run", "New study", "Pause", "Resume", "Stop", "Extend", "Remove", "Label"),
    *("Export run", "Export a picture", "Import"),
)
"""How titles of the palette begin that change something."""


def test_every_action_is_known_to_change_something_or_not() -> None:
    named = {keys.name_action(key.action) for key in keys.KEYS}
    assert named == LOOKING | keys.CHANGING
    assert not LOOKING & keys.CHANGING


def photograph(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file below a folder but those that SQLite opens to read: its size and its time."""
    found = (path for path in folder.rglob("*") if not path.name.endswith(("-shm", "-wal")))
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in found}


async def test_a_viewer_that_only_reads_refuses_every_key_that_changes_something(
    exhibit: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(READ_ONLY, "1")
    app = Preceptor(exhibit)
    async with app.run_test(size=(160, 48)) as pilot:
        await pilot.pause()
        before = photograph(tmp_path)
        for screen in (app.screen, RunScreen(4), ProgramScreen(3, "p0013"), StudyScreen(1)):
            if screen is not app.screen:
                await app.push_screen(screen)
            await pilot.pause()
            app.clear_notifications()
            pressed = changing_keys(app)
            for word in pressed:
                await pilot.press(word)
                assert app.screen is screen, word
            told = [note.message for note in app._notifications]
            assert pressed
            assert len([message for message in told if "only reads" in message]) == len(pressed)
            assert not {key.action for key in screen.query_one(Hints)._chosen} & app.refused
            offered = [command.title for command in app.get_system_commands(app.screen)]
            assert not [t for t in offered if t.startswith(REFUSED)]
        assert photograph(tmp_path) == before


def changing_keys(app: Preceptor) -> list[str]:
    """Every key that would change something where the user is."""
    scopes = [scope for _, scope in places(app, app.screen)]
    found = [key for key in keys.KEYS if keys.name_action(key.action) in keys.CHANGING]
    return [word for key in found if key.scope in scopes for word in key.keys.split()]


@given(st.text())
@settings(max_examples=50)
def test_no_other_path_is_known(path: str) -> None:
    token = browser.make_token()
    assert not browser.knows(f"/{path}", token)
    assert not browser.knows(path, token)
    assert not browser.knows(f"/{token}{path.replace('/', '')}x", token)
    assert browser.knows(f"/{token}/{path}", token)


def test_a_port_that_is_taken_is_told_in_a_line(preceptor: Shell) -> None:
    pytest.importorskip("textual_serve")
    taken = browser.open_port(0)
    with taken:
        port = str(taken.getsockname()[1])
        refused = preceptor("serve", "--port", port)
    assert refused.code == 1
    assert f"port {port} cannot be used" in refused.complaint


def test_without_its_library_a_line_says_what_to_install(
    preceptor: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    refused = preceptor("serve")
    assert refused.code == 2
    assert "pip install 'preceptor[serve]'" in refused.complaint


@pytest.fixture
def server(exhibit: Path, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A server of the exhibit at work."""
    pytest.importorskip("textual_serve")
    words = ("serve", "--port", "0", "--json", "--db", str(tmp_path / exhibit))
    process = subprocess.Popen(
        [*PRECEPTOR, *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    yield process
    process.kill()
    process.communicate()


def read_address(server: subprocess.Popen[str]) -> str:
    """The address that a server prints."""
    assert server.stdout is not None
    lines = ""
    while not lines.endswith("}\n"):
        lines += server.stdout.readline()
    told = read_document(lines, "serve")
    assert told["read_only"] is True
    return str(told["url"])


async def hear(page: Any, words: bytes) -> None:
    """Wait until a page was sent some words. Raises TimeoutError when they never come."""
    heard = b""
    async with asyncio.timeout(PATIENCE):
        while words not in heard:
            heard += (await page.receive()).data


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")
async def test_who_has_the_address_sees_the_runs_and_nobody_else(
    server: subprocess.Popen[str],
) -> None:
    from aiohttp import ClientSession

    url = await asyncio.to_thread(read_address, server)
    socket = f"{url}ws?width=160&height=48"
    async with ClientSession() as client:
        for wrong in (url[: -len("/x")], f"{url[: url.rindex('/', 0, -1)]}/", f"{url[:-1]}x/ws"):
            async with client.get(f"{wrong}x/") as refused:
                assert refused.status == 403, wrong
        async with client.get(url) as page:
            assert page.status == 200
            assert page.headers["Referrer-Policy"] == "no-referrer"
        async with client.ws_connect(socket) as page:
            await hear(page, b"runs 4")
            await page.send_str(json.dumps(["stdin", "n"]))
            await hear(page, b"only reads")
            viewers = children(server.pid)
            server.send_signal(signal.SIGKILL)
    end = time.monotonic() + PATIENCE
    while any(Path(f"/proc/{viewer}").exists() for viewer in viewers):
        assert time.monotonic() < end, "a viewer outlived its server"
        await asyncio.sleep(0.1)
