"""`preceptor new`: the first files of something of the user's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.options import Db, Json
from tui.text.streams import emit, put, say

new_app = typer.Typer(name="new", help="Begin a problem of your own.", no_args_is_help=True)

TEMPLATE = ("problem.py", "data.py", "test_problem.py")
"""Files of `tui/template` that a new problem begins with."""


@new_app.callback()
def new() -> None:
    """Begin a problem of your own."""


@new_app.command("problem")
def new_problem(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The new folder.")],
    _db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Write a small working problem to a folder, for you to turn into your own.

    problem.py holds the rules of the game and what programs are told, data.py the instances;
    test_problem.py runs the checks that every problem has to pass.

    \b
    Examples:
      preceptor new problem ./shop
      preceptor run ./shop --method performance-only
      preceptor run ./shop --teacher program:rule.py    with a teacher of your own
    """
    from engine.api.export import copy_out

    files = copy_out("tui.template", TEMPLATE, folder)
    if as_json:
        emit({"folder": str(folder), "files": list(files)})
        return
    put(f"{folder}: {', '.join(files)}")
    say(f"try it with: preceptor run {_as_path(folder)} --method performance-only")


def _as_path(folder: Path) -> str:
    """The folder as a word that is taken for a path, not for a name."""
    return str(folder) if len(folder.parts) > 1 else f"./{folder}"
