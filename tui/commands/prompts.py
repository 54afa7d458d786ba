"""`preceptor prompts`: what language models are told, as files to read and to change."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tui.options import DEFAULT_DB, Db, Json
from tui.output import emit

prompts_app = typer.Typer(
    name="prompts", help="Read and change what language models are told.", no_args_is_help=True
)


@prompts_app.callback()
def prompts() -> None:
    """Read and change what language models are told."""


@prompts_app.command("export")
def export_prompts(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The new folder.")],
    _db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Copy the prompt files to a folder.

    One file for every operator and role; $names stand for what is filled in.

    \b
    Examples:
      preceptor prompts export ./prompts
    """
    from importlib.resources import files as files_of

    from tui.copying import copy_out

    prompts = (file.name for file in files_of("engine.prompts").iterdir())
    files = copy_out("engine.prompts", sorted(n for n in prompts if n.endswith(".md")), folder)
    if as_json:
        emit({"folder": str(folder), "files": list(files)})
        return
    print(f"{folder}: {', '.join(files)}")
