"""Taking a program away from a screen: the stand-alone file that `preceptor export` writes."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_COMMAND = "from tui.cli import main; main()"


def file_name(run: int, id: str) -> str:
    """What a program's file is called."""
    return f"run{run}_{id}.py"


async def export(db: Path, run: int, id: str) -> tuple[str, bool]:
    """Export a program to the working directory; what the command said, and whether it went well.

    A process of its own: exporting runs the program once in the sandbox, which has to be started
    by a process without threads.
    """
    words = ["export", str(run), "--program", id, "-o", file_name(run, id), "--db", str(db)]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        _COMMAND,
        *words,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    return said.decode(errors="replace").strip(), process.returncode == 0
