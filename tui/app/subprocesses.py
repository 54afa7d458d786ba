"""Commands of ours that a screen runs beside itself, each in a process of its own.

The viewer stays what it is: it loads no problem's arrays, no sandbox and no model's library, and
what a screen starts is started by the very code that the command line runs.
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from problems.errors import WorldError

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from pathlib import Path

_COMMAND = "from tui.cli import main; main()"


def file_name(run: int, id: str) -> str:
    """What a program's file is called."""
    return f"run{run}_{id}.py"


async def export(db: Path, run: int, id: str) -> str:
    """Export a program to the working directory; returns what was said. Raises WorldError."""
    return await _say("export", str(run), "--program", id, "-o", file_name(run, id), db=db)


async def look_ahead(db: Path, words: tuple[str, ...]) -> str:
    """What `preceptor run WORDS` would do and cost. Raises WorldError where it cannot be."""
    return await _say("run", *words, "--estimate", db=db)


async def begin(db: Path, words: tuple[str, ...]) -> tuple[int, Process]:
    """Begin a command that starts an engine, `run ...` or `resume ...`; returns the run.

    The engine is still on its way then: `detach` the command. Raises WorldError with its
    complaint.
    """
    process = await _start(*words, "--json", db=db)
    assert process.stdout is not None
    first = await process.stdout.readline()
    if not first:
        _, complaint = await process.communicate()
        raise WorldError(_complaint(complaint))
    return int(json.loads(first)["run"]), process


async def detach(process: Process) -> None:
    """Leave a command once its engine is at work: from then on it would only watch.

    Raises WorldError with its complaint when the engine does not come.
    """
    assert process.stdout is not None
    if await process.stdout.readline():
        with suppress(ProcessLookupError):
            process.terminate()
    _, complaint = await process.communicate()
    if process.returncode and process.returncode > 0:
        raise WorldError(_complaint(complaint))


async def _say(*words: str, db: Path) -> str:
    process = await _start(*words, db=db)
    try:
        out, complaint = await process.communicate()
    except asyncio.CancelledError:
        process.kill()
        raise
    if process.returncode:
        raise WorldError(_complaint(complaint))
    return out.decode(errors="replace").strip()


async def _start(*words: str, db: Path) -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        _COMMAND,
        *words,
        "--db",
        str(db),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


def _complaint(said: bytes) -> str:
    """A refused command's one line without its own name."""
    return said.decode(errors="replace").strip().removeprefix("preceptor: ")
