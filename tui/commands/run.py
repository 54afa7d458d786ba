"""`preceptor run`, `resume`, `study` and `watch`: start runs and studies, and follow them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.options import (
    AnalyzerWord,
    Db,
    Estimate,
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
    Word,
    WordAtWork,
    WriterWord,
    complete_sets,
    make_answering,
    make_request,
    read_caps,
    read_options,
)
from tui.text.streams import emit, emit_line, put, say

if TYPE_CHECKING:
    from engine.api.resolve import RunRequest
    from engine.api.run import Run


def run(
    context: typer.Context,
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
    estimate: Estimate = False,
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
      preceptor run jssp --method preceptor --teacher rollout
      preceptor run ./myproblem --llm mywriter.py:Writer --max-calls 30
      preceptor run jssp --llm openai:gpt-4o-mini --estimate
      preceptor run jssp --start best.py --start run:12/p0031
      preceptor run jssp --on-end 'notify-send "run $PRECEPTOR_JOB $PRECEPTOR_STATUS"'
      preceptor run jssp --json > events.jsonl
      preceptor run jssp --executor dask:tcp://127.0.0.1:8786
    """
    request = make_request(context.params)
    if estimate:
        _look_ahead(db, request, as_json)
    else:
        _start_run(db, request, as_json, headless)


def _look_ahead(db: Path, request: RunRequest, as_json: bool) -> None:
    from engine.api.forecast import forecast
    from tui.json.measures import describe_forecast
    from tui.text.pages.measures import page_forecast

    found = forecast(request, db)
    if as_json:
        emit_line(describe_forecast(found))
    else:
        put(page_forecast(found))


def _start_run(db: Path, request: RunRequest, as_json: bool, headless: bool) -> None:
    from engine.api import run as runs
    from engine.api.answer import PREFIX
    from tui.commands.narrate import start

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


def resume(
    context: typer.Context,
    run: Word = "latest",
    fork: Annotated[
        bool,
        typer.Option("--fork", help="Begin a new run at the last closed generation."),
    ] = False,
    llm: WriterWord = None,
    analyzer_llm: AnalyzerWord = None,
    teacher: TeacherWords = None,
    option: OptionWords = None,
    executor: ExecutorWord = None,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_usd: MaxUsd = None,
    max_time: MaxTime = None,
    headless: Headless = False,
    _on_end: OnEnd = None,
    db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Continue a run or a study that did not finish, or a run beyond its end, and watch it.

    It may have been paused, stopped, cut off, or out of budget; one that waits for its provider
    tries again at once, and one at work continues under raised caps. No reply that was received is
    asked for again. After a change of code or of a teacher's weights a run cannot continue as it
    is; --fork begins a new one where it stood.
    A finished run continues from its last generation with --option generations=N, as if it had
    been asked for so many at once; other settings make it another run, and take --fork.
    An imported run does not ask the writers of whoever recorded it: name your own beside --fork.

    \b
    Examples:
      preceptor resume
      preceptor resume 12 --max-calls 60
      preceptor resume 12 --option generations=10
      preceptor resume 12 --fork --option population=20
      preceptor resume 12 --fork --llm openai:MODEL
      preceptor resume 12 --executor local
      preceptor resume study:1
    """
    from functools import partial

    from engine.api.store import pick_job
    from engine.api.study import Study
    from problems.errors import UserError
    from tui.commands.narrate import start, watch

    job = pick_job(db, run)
    caps = read_caps(context.params)
    if not isinstance(job, Study):
        begin = partial(
            job.resume,
            caps,
            fork,
            answering=make_answering(context.params),
            options=read_options(context.params),
        )
        raise typer.Exit(start(lambda ready: begin(ready=ready), db, as_json, headless))
    if fork or any((*astuple(caps), llm, analyzer_llm, teacher, option, executor)):
        raise UserError(
            "a study is resumed as it is; --fork, names, settings and caps are for one of its runs"
        )
    raise typer.Exit(watch(job.resume(), as_json, headless))


def study(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A study file (TOML), such as those in studies/."),
    ],
    estimate: Estimate = False,
    anew: Annotated[
        bool, typer.Option("--new", help="Begin it anew, whatever an equal study has done.")
    ] = False,
    executor: ExecutorWord = None,
    headless: Headless = False,
    _on_end: OnEnd = None,
    db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Compare methods: problems x methods x seeds, several runs at once, winners measured.

    In a terminal it is shown on a screen, else or with --headless in progress lines.
    The same command again continues where the study stands; so does preceptor resume study:N.
    It is a process of its own: leaving never ends it, preceptor watch study:N comes back.
    Exit code: 0 done, 1 failed, paused or stopped, 2 usage, 3 no writer or no teacher, 130 after
    Ctrl-C.

    \b
    Examples:
      preceptor study studies/paper-jssp.toml --estimate
      preceptor study studies/paper-jssp.toml
      preceptor study FILE --executor dask:tcp://127.0.0.1:8786
      preceptor watch study:1
    """
    from engine.api.forecast import forecast_study
    from engine.api.study import start_study
    from tui.commands.narrate import watch
    from tui.json.runs import describe_study_forecast
    from tui.text.pages.study import page_study_forecast

    found = forecast_study(file, db)
    if estimate and as_json:
        emit(describe_study_forecast(found))
    elif estimate:
        put(page_study_forecast(found))
    else:
        say(page_study_forecast(found))
        job = start_study(found.plan, db, anew, executor or "")
        raise typer.Exit(watch(job, as_json, headless))


def watch(run: WordAtWork = "", db: Db = DEFAULT_DB, as_json: Json = False) -> None:
    """Follow a live run or study, or print the events of a finished one again.

    Any number of viewers may watch; leaving with Ctrl-C never ends the run.
    The exit code is that of the run, as `preceptor run` gives it.

    \b
    Examples:
      preceptor watch
      preceptor watch 12 --json
      preceptor watch study:1
    """
    from engine.api.store import pick_job
    from tui.commands.narrate import watch as follow

    raise typer.Exit(follow(pick_job(db, run), as_json))
