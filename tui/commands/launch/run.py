"""`preceptor run`: book a run, start its engine, watch it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.options import (
    Db,
    Json,
    MaxCalls,
    MaxTokens,
    MaxUsd,
    complete_methods,
    complete_problems,
)
from tui.text.streams import emit_line, say

if TYPE_CHECKING:
    from pathlib import Path

    from engine.domain.specs.settings import RunSpec


def run(
    problem: Annotated[
        str,
        typer.Argument(
            metavar="PROBLEM",
            help="A problem's name, or the folder of your own.",
            autocompletion=complete_problems,
        ),
    ],
    method: Annotated[
        str,
        typer.Option(
            help="The search method, or FILE.toml with your own.", autocompletion=complete_methods
        ),
    ] = "ours",
    seed: Annotated[int, typer.Option(help="Seeds every draw of the search.")] = 0,
    llm: Annotated[str, typer.Option(metavar="SPEC", help="Who writes programs.")] = "builtin",
    analyzer_llm: Annotated[
        str, typer.Option(metavar="SPEC", help="Who writes briefs; the writer by default.")
    ] = "",
    teacher: Annotated[
        str, typer.Option(metavar="NAME", help="The teacher; the problem's own by default.")
    ] = "",
    design: Annotated[
        str, typer.Option(metavar="SET", help="The instance set that is searched on.")
    ] = "",
    preset: Annotated[str, typer.Option(metavar="NAME", help="Settings by name: paper.")] = "",
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_usd: MaxUsd = None,
    option: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="A setting; may be repeated.")
    ] = None,
    headless: Annotated[
        bool, typer.Option("--headless", help="Progress lines, whatever the terminal.")
    ] = False,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Say what it would do and cost; start nothing.")
    ] = False,
    db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Search for a heuristic: start a run and watch it.

    In a terminal it is shown on a screen, else or with --headless in progress lines.
    The run is a process of its own: leaving never ends it, `preceptor watch` comes back.
    Exit code: 0 done, 1 failed, paused or stopped, 2 usage, 3 no writer or no teacher, 4 budget
    spent, 130 after Ctrl-C.

    \b
    Examples:
      preceptor run jssp
      preceptor run jssp --method no-pareto --seed 3 --option generations=10
      preceptor run ./myproblem --llm mywriter.py:Writer --max-calls 30
      preceptor run jssp --llm openai:gpt-4o-mini --estimate
      preceptor run jssp --json > events.jsonl
    """
    from engine.api.book_run import absolute_problem
    from engine.domain.specs.settings import Caps, RunSpec, resolve

    options = [*(option or []), *([f"design={design}"] if design else [])]
    ref, settings = resolve(absolute_problem(problem), options, preset or None)
    caps = Caps(max_calls, max_tokens, max_usd)
    spec = RunSpec(ref, method, seed, llm, analyzer_llm, teacher, settings, caps)
    if estimate:
        _look_ahead(db, spec, as_json)
    else:
        _start(db, spec, as_json, headless)


def _look_ahead(db: Path, spec: RunSpec, as_json: bool) -> None:
    from engine.api.forecast import forecast
    from tui.json.forecast import describe_forecast
    from tui.text.pages.forecast import page_forecast

    found = forecast(db, spec)
    if as_json:
        emit_line(describe_forecast(found))
    else:
        print(page_forecast(found))


def _start(db: Path, spec: RunSpec, as_json: bool, headless: bool) -> None:
    from engine.api.book_run import book_run
    from tui.commands.launch.watch_run import start

    number = book_run(db, spec)
    if spec.writer == "builtin" and "OPENAI_API_KEY" in os.environ:
        say("OPENAI_API_KEY is set, but a paid model is used only when --llm names it")
    raise typer.Exit(start(db, number, as_json, headless))
