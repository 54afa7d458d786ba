"""The pictures of the manual, drawn anew: `python -m tests.tui.captures`.

They show runs of fixed stores, so that they are the same on any day: as text, and as SVG with
their colours.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Static

from tests.engine.builders import import_demo
from tests.tui.exhibit import DONE, LIVE, add_study, build, measure_study, open_app, until
from tui.screens.program import ProgramScreen
from tui.screens.run import RunScreen
from tui.screens.study import StudyScreen

ROOT = Path(__file__).parents[2]
SIZES = ((80, 24), (160, 48))
DARK, LIGHT = "textual-dark", "textual-light"
PICTURE = re.compile(
    r"(<!-- picture: python -m tests\.tui\.captures -->\n```\n).*?(```)", re.DOTALL
)
"""Where the README shows the smaller one."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A screen of a store in some size and theme; `go_on` brings it where it is to be seen."""

    name: str
    size: tuple[int, int]
    theme: str
    store: Callable[[Path], None]
    screen: Callable[[], Screen[None]]
    go_on: Callable[[Pilot[None]], Awaitable[None]]

    @property
    def page(self) -> Path:
        """Where it is kept as text; its SVG lies beside it."""
        return ROOT / "docs/screens" / f"{self.name}.txt"


async def _settle(pilot: Pilot[None]) -> None:
    """Wait for what threads read."""
    await pilot.app.workers.wait_for_complete()


async def _read_run(pilot: Pilot[None]) -> None:
    """Wait for the run and for what is known of its design set."""
    await until(pilot, lambda: getattr(pilot.app.screen, "snapshot", None))
    await _settle(pilot)


async def _draw_decision(pilot: Pilot[None]) -> None:
    """Draw the first decision of a program."""
    await _settle(pilot)
    await pilot.press("d")
    pane = pilot.app.screen.query_one("#decision")
    await until(
        pilot, lambda: any("teacher's choice" in str(s.content) for s in pane.query(Static))
    )


def _build_study(db: Path) -> None:
    """A study that is measured."""
    build(db)
    measure_study(db, add_study(db))


SCENES = (
    Scene("run", (120, 36), DARK, build, lambda: RunScreen(LIVE), _read_run),
    Scene("run-light", (80, 24), LIGHT, build, lambda: RunScreen(DONE), _read_run),
    Scene("study", (120, 36), DARK, _build_study, lambda: StudyScreen(1), _settle),
    Scene(
        "decision",
        (160, 48),
        LIGHT,
        import_demo,
        lambda: ProgramScreen(1, "p0010"),
        _draw_decision,
    ),
)
"""What is kept with its colours, besides the pages that the manual shows."""


async def draw(db: Path, size: tuple[int, int]) -> str:
    """The screen of the run at work, a line for each row, without colours."""
    app = open_app(db, LIVE)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        return _text(app.screen)


async def draw_scene(scene: Scene, db: Path) -> tuple[str, str]:
    """A scene as text and as SVG; its store is written to `db`."""
    scene.store(db)
    app = open_app(db)
    app.theme = scene.theme
    async with app.run_test(size=scene.size) as pilot:
        await app.push_screen(scene.screen())
        await scene.go_on(pilot)
        await pilot.pause()
        return _text(app.screen), app.export_screenshot()


def file_of(size: tuple[int, int]) -> Path:
    """The page that a picture of this size is kept in."""
    return ROOT / "docs/screens" / f"{size[0]}x{size[1]}.txt"


def insert(readme: str, picture: str) -> str:
    """The README with this picture."""
    return PICTURE.sub(lambda found: found[1] + picture + found[2], readme)


async def redraw() -> None:
    """Write all pictures; run in an empty folder, by UTC."""
    db = Path("runs.db")
    build(db)
    for size in SIZES:
        file_of(size).write_text(await draw(db, size), "utf-8")
    readme = ROOT / "README.md"
    readme.write_text(insert(readme.read_text("utf-8"), await draw(db, SIZES[0])), "utf-8")
    for scene in SCENES:
        with TemporaryDirectory() as folder:
            text, svg = await draw_scene(scene, Path(folder, "runs.db"))
        scene.page.write_text(text, "utf-8")
        scene.page.with_suffix(".svg").write_text(svg, "utf-8")


def _text(screen: Screen[object]) -> str:
    rows = screen._compositor.render_strips()
    return "".join(f"{row.text.rstrip()}\n" for row in rows)


if __name__ == "__main__":
    os.environ["TZ"] = "UTC"
    time.tzset()
    os.environ.pop("NO_COLOR", None)
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        asyncio.run(redraw())
