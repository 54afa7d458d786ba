"""`preceptor run`: book a run, start its engine, watch it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.complete import complete_sets
from tui.commands.options import (
    AnalyzerWord,
    Db,
    ExecutorWord,
    Headless,
    Json,
    KindWord,
    MaxCalls,
    MaxTime,
    MaxTokens,
    MaxUsd,
    MethodWord,
    OnEnd,
    OptionWords,
    PresetWord,
    ProblemWord,
    TeacherWords,
    WriterWord,
    with_executor,
    with_kind,
)
from tui.text.streams import emit_line, put, say

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from engine.api.resolve import RunRequest
    from engine.api.run import Run


def run(
    problem: ProblemWord,
    kind: KindWord = None,
    method: MethodWord = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seeds every draw of the search; 0 by default.")
    ] = None,
    llm: WriterWord = None,
    analyzer_llm: AnalyzerWord = None,
    teacher: TeacherWords = None,
    design: Annotated[
        str | None,
        typer.Option(
            metavar="SET",
            help="The instance set that is searched on.",
            autocompletion=complete_sets,
        ),
    ] = None,
    start: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PROGRAM",
            help="A program to start from besides the seeds: a file, run:N/ID, or the number of a "
            "run, for all its survivors. May be repeated.",
        ),
    ] = None,
    preset: PresetWord = None,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_usd: MaxUsd = None,
    max_time: MaxTime = None,
    option: OptionWords = None,
    executor: ExecutorWord = None,
    headless: Headless = False,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Say what it would do and cost; start nothing.")
    ] = False,
    _on_end: OnEnd = None,
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
      preceptor run tsp --kind whole
      preceptor run jssp --method no-pareto --seed 3 --option generations=10
      preceptor run jssp --method preceptor --teacher offline-l2d --teacher rollout
      preceptor run ./myproblem --llm mywriter.py:Writer --max-calls 30
      preceptor run jssp --llm openai:gpt-4o-mini --estimate
      preceptor run jssp --start best.py --start run:12/p0031
      preceptor run jssp --on-end 'notify-send "run $PRECEPTOR_JOB $PRECEPTOR_STATUS"'
      preceptor run jssp --json > events.jsonl
      preceptor run jssp --executor dask:tcp://127.0.0.1:8786
    """
    from engine.api.resolve import RunRequest
    from engine.domain.specs.settings import Caps

    request = RunRequest(
        problem,
        method=method,
        seed=seed,
        writer=llm,
        analyzer=analyzer_llm,
        teacher=",".join(teacher or ()) or None,
        design=design,
        preset=preset,
        options=with_executor(with_kind(problem, option, kind), executor),
        caps=Caps(max_calls, max_tokens, max_usd, max_time),
        start=tuple(start or ()),
    )
    if estimate:
        _look_ahead(db, request, as_json)
    else:
        _start(db, request, as_json, headless)


def _look_ahead(db: Path, request: RunRequest, as_json: bool) -> None:
    from engine.api.forecast import forecast
    from tui.json.measures import describe_forecast
    from tui.text.pages.forecast import page_forecast

    found = forecast(request, db)
    if as_json:
        emit_line(describe_forecast(found))
    else:
        put(page_forecast(found))


def _start(db: Path, request: RunRequest, as_json: bool, headless: bool) -> None:
    from engine.api import run as runs
    from engine.api.answer import PREFIX
    from tui.commands.launch.narrate import start

    def begin(ready: Callable[[Run], None]) -> Run:
        def booked(run: Run) -> None:
            if run.row.spec.writer == "builtin" and "OPENAI_API_KEY" in os.environ:
                say("OPENAI_API_KEY is set, but a paid model is used only when --llm names it")
            for writer in run.row.spec.writers:
                if not writer.startswith(PREFIX):
                    continue
                folder = writer.removeprefix(PREFIX)
                say(
                    f"prompts are written to {folder}; answer them with: preceptor answer {folder}"
                )
            ready(run)

        return runs.start_run(request, db, booked)

    raise typer.Exit(start(begin, db, as_json, headless))
