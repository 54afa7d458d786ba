"""The text of every screen; after a wanted change: pytest --snapshot-update."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.api.doctor import Check
from engine.api.resolve import RunRequest
from engine.domain.specs.settings import list_settings
from problems.base import InstanceSet
from problems.sets.library import Holding
from problems.sets.references import References
from teachers.weights import Header
from tests.engine.builders import import_demo
from tests.tui.captures import ROOT, draw, file_of, insert
from tests.tui.every_screen import MAKERS, Kind, Place, find_kinds, settle
from tests.tui.exhibit import DONE, FAILED, LIVE, add_study, measure_study, open_app
from tui.app.app import Preceptor
from tui.screens.program import DecisionScreen, RolloutScreen

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

SIZE = (160, 48)
"""All panes are in sight."""

EXHIBIT = Place(DONE, "p0013", FAILED, 1, "runs.run")
DEMO = Place(1, "p0010", 1, 0)
"""The demonstration holds what programs did, which the fixed store does not."""

OF_DEMO: tuple[Kind, ...] = (DecisionScreen, RolloutScreen)

PRESSED = {
    "RunsScreen": ("j",),
    "ProgramScreen": ("3",),
    "CompareScreen": ("2",),
    "LeaderboardScreen": ("j",),
    "TeachersScreen": ("j",),
    "BenchmarksScreen": ("j",),
    "SettingsScreen": ("j",),
    "RolloutScreen": ("]",),
    "LaunchScreen": ("tab", "tab"),
}
"""Keys behind which a screen shows more of what it is for."""

SAID = (
    *("one line", "a line of sixty-four words: " + "word " * 64, "漢字"),
    json.dumps({"event": "training-progress", "stage": "learning", "done": 0.2, "cost": 2000.0}),
    json.dumps({"event": "training-progress", "stage": "learning", "done": 0.6, "cost": 1950.5}),
)
"""What a command writes."""

HEADER = Header(
    "offline-l2d",
    "jssp",
    "offline_l2d",
    "A network over the operations of a job shop.",
    {"layers": 3},
    {"minutes": 60.0, "data": {"size": "10x10", "seeds": [0, 1]}},
    {"random-10x10": 905.25},
    {"random-10x10": 910.0, "random-20x20": 1921.5},
    "0123456789abcdef",
)
CHECKS = (
    Check("sandbox", "fail", "process: limits on time and memory only"),
    Check("torch", "ok", "2.7 without CUDA"),
    Check("sessions", "warn", "runs end when you log out; loginctl enable-linger keeps them"),
)
HELD = (
    Holding("design-64", "jssp", InstanceSet("design-64", 64, "drawn by us", design=True)),
    Holding("ft", "jssp", InstanceSet("ft", 3, "Fisher and Thompson"), None, True, "https://x"),
)
KNOWN = {"ft": References("others", "", "", (55.0, 930.0, 1165.0))}


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """No colour settings of the developer's own."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("TEXTUAL_THEME", raising=False)


@pytest.fixture
def _fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is installed, imported, trained and forecast is the same on any day, anywhere."""

    async def answer(_: Preceptor, request: RunRequest) -> str:
        return "jssp: 64 instances of design\nours: 5 generations of 5 children\nteacher: none"

    shown = [one for one in list_settings((), None) if one.name in ("population", "states")]
    catalogue = "tui.screens.catalogue"
    say = f"print({chr(10).join(SAID)!r})"
    command = (sys.executable, "-X", "utf8", "-c", say)
    for name, value in {
        "tui.app.app.Preceptor.look_ahead": answer,
        "tui.screens.forms.PAUSE": 0.01,
        "tui.screens.command.COMMAND": command,
        "engine.api.resolve.local_writers": lambda: ("openai:local/model",),
        "engine.api.doctor.examine": lambda db: CHECKS,
        "engine.domain.specs.settings.list_settings": lambda *_: shown,
        f"{catalogue}.header_files": lambda: {HEADER.name: ROOT / "none"},
        f"{catalogue}.read_header": lambda file: HEADER,
        f"{catalogue}.holdings": lambda: HELD,
        f"{catalogue}.of_problem": lambda problem: KNOWN,
    }.items():
        monkeypatch.setattr(name, value)


def test_every_screen_is_walked_over() -> None:
    assert set(MAKERS) == find_kinds(), "a new screen goes into tests/tui/every_screen.py"


@pytest.mark.usefixtures("_fixed")
async def test_every_screen_says_what_it_did(snapshot: SnapshotAssertion, exhibit: Path) -> None:
    measure_study(exhibit, add_study(exhibit))
    kinds = [kind for kind in MAKERS if kind not in OF_DEMO]
    await compare(open_app(exhibit), kinds, EXHIBIT, snapshot)


async def test_every_screen_of_decisions_says_what_it_did(
    snapshot: SnapshotAssertion, demo: Path
) -> None:
    await compare(open_app(demo), OF_DEMO, DEMO, snapshot)


@pytest.mark.parametrize("run", [LIVE, DONE], ids=["at work", "finished"])
async def test_a_run_says_what_it_did(
    snapshot: SnapshotAssertion, exhibit: Path, run: int
) -> None:
    app = open_app(exhibit, run)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot, app.screen)
        await pilot.press(*("5",) if run == DONE else ())
        await settle(pilot, app.screen)
        assert text_of(app) == snapshot


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of the demonstration."""
    db = tmp_path_factory.mktemp("demo") / "runs.db"
    import_demo(db)
    return db


async def compare(
    app: Preceptor, kinds: Iterable[Kind], place: Place, snapshot: SnapshotAssertion
) -> None:
    """Compare what screens say, each opened over the list of runs, with what they said."""
    differing = []
    async with app.run_test(size=SIZE) as pilot:
        for kind in kinds:
            screen = MAKERS[kind](app, place)
            await app.push_screen(screen)
            await settle(pilot, screen)
            await pilot.press(*PRESSED.get(kind.__name__, ()))
            await settle(pilot, screen)
            assert [notice.message for notice in app._notifications] == []
            if text_of(app) != snapshot(name=kind.__name__):
                differing.append(kind.__name__)
            app.pop_screen()
            await pilot.pause()
    assert differing == []


def text_of(app: Preceptor) -> str:
    """All that the terminal shows, without colours."""
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in strips)


@pytest.mark.parametrize("size", [(80, 24), SIZE], ids=lambda s: f"{s[0]}x{s[1]}")
async def test_the_manual_shows_the_screens_as_they_are(
    exhibit: Path, size: tuple[int, int]
) -> None:
    picture = await draw(exhibit, size)
    assert file_of(size).read_text("utf-8") == picture, "redraw: python -m tests.tui.captures"
    if size == (80, 24):
        readme = (ROOT / "README.md").read_text("utf-8")
        assert insert(readme, picture) == readme
