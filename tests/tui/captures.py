"""The pictures of the manual, drawn anew: `python -m tests.tui.captures`.

They show the run at work of the fixed store, so that they are the same on any day.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.tui.exhibit import LIVE, build, open_app

ROOT = Path(__file__).parents[2]
SIZES = ((80, 24), (160, 48))
PICTURE = re.compile(
    r"(<!-- picture: python -m tests\.tui\.captures -->\n```\n).*?(```)", re.DOTALL
)
"""Where the README shows the smaller one."""


async def draw(db: Path, size: tuple[int, int]) -> str:
    """The screen of the run at work, a line for each row, without colours."""
    app = open_app(db, LIVE)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        rows = app.screen._compositor.render_strips()
        return "".join(f"{row.text.rstrip()}\n" for row in rows)


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


if __name__ == "__main__":
    os.environ["TZ"] = "UTC"
    time.tzset()
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        asyncio.run(redraw())
