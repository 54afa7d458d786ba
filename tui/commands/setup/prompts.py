"""`preceptor prompts`: what language models are told, as files to read and to change."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.options import Db, Json
from tui.text.streams import emit, put, say

prompts_app = typer.Typer(
    name="prompts", help="Read and change what language models are told.", no_args_is_help=True
)


@prompts_app.callback()
def prompts() -> None:
    """Read and change what language models are told."""


@prompts_app.command("export")
def export_prompts(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The new folder.")],
    method: Annotated[
        str, typer.Option("--method", metavar="NAME", help="The method whose prompts they are.")
    ] = "preceptor",
    _db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Copy the prompt files to a folder; a run reads them there with --option prompts=DIR.

    One file for every operator and role; $names stand for what is filled in. Of a file that you
    delete, Preceptor's own is used. A run records its prompts, and is resumed with no others.

    \b
    Examples:
      preceptor prompts export ./prompts
      preceptor run jssp --llm openai:gpt-4o-mini --option prompts=./prompts
    """
    from engine.api.export import export_prompts as copy_prompts

    files = copy_prompts(folder, method)
    if as_json:
        emit({"folder": str(folder), "files": list(files)})
        return
    put(f"{folder}: {', '.join(files)}")
    say(f"use them with: preceptor run PROBLEM --llm SPEC --option prompts={folder}")
