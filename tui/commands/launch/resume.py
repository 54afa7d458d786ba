"""`preceptor resume`: go on with a run or a study that was paused, stopped or cut off."""

from __future__ import annotations

from dataclasses import astuple
from typing import Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.options import (
    AnalyzerWord,
    Db,
    ExecutorWord,
    Headless,
    Json,
    MaxCalls,
    MaxTime,
    MaxTokens,
    MaxUsd,
    OnEnd,
    OptionWords,
    TeacherWords,
    Word,
    WriterWord,
    with_executor,
)


def resume(
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
    """Go on with a run or a study that did not finish, or with a run beyond its end, and watch it.

    It may have been paused, stopped, cut off, or out of budget; one that waits for its provider
    tries again at once, and one at work goes on under raised caps. No reply that was received is
    asked for again. After a change of code or of a teacher's weights a run cannot go on as it is;
    --fork begins a new one where it stood.
    A finished run goes on from its last generation with --option generations=N, as if it had been
    asked for so many at once; other settings make it another run, and take --fork.
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

    from engine.api.resolve import Answering
    from engine.api.store import pick_job
    from engine.api.study import Study
    from engine.domain.specs.settings import Caps
    from problems.errors import UserError
    from tui.commands.launch.narrate import start, watch

    job = pick_job(db, run)
    caps = Caps(max_calls, max_tokens, max_usd, max_time)
    answering = Answering(llm or "", analyzer_llm or "", ",".join(teacher or ()))
    if not isinstance(job, Study):
        words = with_executor(option, executor)
        begin = partial(job.resume, caps, fork, answering=answering, options=words)
        raise typer.Exit(start(lambda ready: begin(ready=ready), db, as_json, headless))
    if fork or any((*astuple(caps), llm, analyzer_llm, teacher, option, executor)):
        raise UserError(
            "a study is resumed as it is; --fork, names, settings and caps are for one of its runs"
        )
    raise typer.Exit(watch(job.resume(), as_json, headless))
