"""`preceptor new` and `prompts`: the first files of something of the user's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from engine.domain.names import DEFAULT_DB
from problems.errors import UserError
from tui import template
from tui.commands.options import Db, Json
from tui.text.streams import emit, put, say

new_app = typer.Typer(
    name="new", help="Begin a problem, a teacher, a writer or a method.", no_args_is_help=True
)

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The new folder.")]


@new_app.callback()
def new() -> None:
    """Begin a problem, a teacher, a writer or a method of your own."""


@new_app.command("problem")
def new_problem(
    folder: Folder,
    whole: Annotated[
        bool,
        typer.Option("--whole", help="Programs return a whole solution, not one decision."),
    ] = False,
    evaluator: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="FILE", help="Make it of a file with `evaluate(solution)`."
        ),
    ] = None,
    seed: Annotated[
        Path | None,
        typer.Option("--seed-program", metavar="FILE", help="The first program, with --from."),
    ] = None,
    metric: Annotated[
        str,
        typer.Option("--metric", metavar="KEY", help="What is optimised of a dict, with --from."),
    ] = "",
    maximize: Annotated[
        bool, typer.Option("--maximize", help="More is better, with --from.")
    ] = False,
    _db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Write a small working problem to a folder, for you to turn into your own.

    problem.py holds the rules of the game and what programs are told, data.py the instances;
    test_problem.py runs the checks that every problem has to pass.

    \b
    Examples:
      preceptor new problem ./shop
      preceptor new problem ./jobs --whole              programs that solve an instance in one call
      preceptor new problem ./packing --from evaluator.py --seed-program first.py --metric score
      preceptor run ./shop --method performance-only
      preceptor run ./shop --teacher program:rule.py    with a teacher of your own
    """
    if evaluator is not None:
        from engine.api.evaluator import read_evaluator

        found = read_evaluator(evaluator, seed, metric, maximize)
        files = template.write_evaluator(folder, found)
        _report(folder, files, as_json, "check {place}")
        return
    if seed or metric or maximize:
        raise UserError("--seed-program, --metric and --maximize go with --from FILE")
    kind = "whole" if whole else "problem"
    _copy(kind, folder, as_json, "run {place} --method performance-only")


@new_app.command("teacher")
def new_teacher(folder: Folder, _db: Db = DEFAULT_DB, as_json: Json = False) -> None:
    """Write a small working teacher to a folder, for you to turn into your own.

    teacher.py scores the feasible actions of a state, for any problem; test_teacher.py runs the
    checks that every teacher has to pass.

    \b
    Examples:
      preceptor new teacher ./expert
      preceptor check jssp --teacher ./expert/teacher.py:Teacher
    """
    _copy("teacher", folder, as_json, "check jssp --teacher {place}/teacher.py:Teacher")


@new_app.command("writer")
def new_writer(folder: Folder, _db: Db = DEFAULT_DB, as_json: Json = False) -> None:
    """Write a small working writer to a folder, for you to turn into your own.

    writer.py answers requests with programs, for any problem; test_writer.py runs the checks that
    every writer has to pass.

    \b
    Examples:
      preceptor new writer ./author
      preceptor check jssp --llm ./author/writer.py:Writer
    """
    _copy("writer", folder, as_json, "check jssp --llm {place}/writer.py:Writer")


@new_app.command("method")
def new_method(folder: Folder, _db: Db = DEFAULT_DB, as_json: Json = False) -> None:
    """Write a small working method to a folder, for you to turn into your own.

    method.toml says how parents are drawn and who survives, blend.md what its own operator asks
    for; test_method.py tells whether both can be read.

    \b
    Examples:
      preceptor new method ./blend
      preceptor check jssp --method ./blend/method.toml
    """
    _copy("method", folder, as_json, "check jssp --method {place}/method.toml")


def _copy(kind: str, folder: Path, as_json: bool, next_step: str) -> None:
    """Copy the files of a kind out, and say how they are tried."""
    from engine.api.export import copy_out

    files = copy_out(f"{template.__name__}.{kind}", template.FILES[kind], folder)
    _report(folder, files, as_json, next_step)


def _report(folder: Path, files: Sequence[str], as_json: bool, next_step: str) -> None:
    """The files that were written, and the command that tries them."""
    if as_json:
        emit({"folder": str(folder), "files": list(files)})
        return
    put(f"{folder}: {', '.join(files)}")
    place = str(folder) if len(folder.parts) > 1 else f"./{folder}"  # a path, not a name
    say(f"try it with: preceptor {next_step.format(place=place)}")


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
