"""`preceptor check`: try everything that a run needs, without a run."""

from __future__ import annotations

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.options import (
    AnalyzerWord,
    Db,
    Json,
    KindWord,
    MaxCalls,
    MaxTime,
    MaxTokens,
    MaxUsd,
    MethodWord,
    OptionWords,
    ProblemWord,
    TeacherWords,
    WriterWord,
    with_kind,
)
from tui.text.streams import emit, put, say


def check(
    problem: ProblemWord,
    kind: KindWord = None,
    method: MethodWord = None,
    llm: WriterWord = None,
    analyzer_llm: AnalyzerWord = None,
    teacher: TeacherWords = None,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_usd: MaxUsd = None,
    max_time: MaxTime = None,
    option: OptionWords = None,
    db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Rehearse a run: evaluate the seeds, ask the teacher once, send each writer one request.

    A problem of your own goes through the whole contract suite first: what is wrong is named with
    file and line, and a part that does not come to an end is stopped after 30 CPU seconds, or
    after --option eval_seconds=S. Nothing is booked. A language model is paid for its one request;
    then follows what a whole run would cost at most. Exit code: 0 when a run would work, 1 when
    the problem breaks its contract or a seed fails, 2 when the model refuses a parameter or a file
    cannot be used, 3 when writer or teacher is not available.

    \b
    Examples:
      preceptor check jssp
      preceptor check ./myproblem
      preceptor check jssp --llm openai:gpt-4o-mini
      preceptor check ./myproblem --llm nemo --teacher program:rule.py --json
    """
    import asyncio

    from engine.api.dry_run import dry_run, examine_own
    from engine.api.resolve import RunRequest
    from engine.domain.specs.settings import Caps
    from tui.json.measures import describe_broken, describe_dry_run
    from tui.text.pages.check import page_dry_run, page_examination

    request = RunRequest(
        problem,
        method=method,
        writer=llm,
        analyzer=analyzer_llm,
        teacher=",".join(teacher or ()) or None,
        options=with_kind(problem, option, kind),
        caps=Caps(max_calls, max_tokens, max_usd, max_time),
    )
    examined = examine_own(request, say)
    if examined is not None and not as_json:
        put(page_examination(examined))
    if examined is not None and examined.broken:
        if as_json:
            emit(describe_broken(problem, examined))
        raise typer.Exit(1)
    found = asyncio.run(dry_run(request, db, say))
    if as_json:
        emit(describe_dry_run(found, examined))
    else:
        put(page_dry_run(found))
    raise typer.Exit(found.exit_code)
