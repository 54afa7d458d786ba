"""`preceptor doctor`, `settings`, `check` and `help`: what is there, and what holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.options import (
    AnalyzerWord,
    Db,
    ExecutorWord,
    Json,
    KindWord,
    MaxCalls,
    MaxTime,
    MaxTokens,
    MaxUsd,
    MethodWord,
    OptionWords,
    PresetWord,
    ProblemWord,
    TeacherWords,
    WriterWord,
    complete_settings,
    make_request,
)
from tui.text.streams import emit, put, say


def doctor(executor: ExecutorWord = None, db: Db = DEFAULT_DB, as_json: Json = False) -> None:
    """Examine the installation: versions, sandbox, teachers, models, store, disk, sessions.

    With --executor also the workers of a cluster: versions, cores, sandboxes.
    Nothing is changed. Exit code: 0 when all is well or can be lived with, 1 when something fails.

    \b
    Examples:
      preceptor doctor
      preceptor doctor --db /data/runs.db --json
      preceptor doctor --executor dask:tcp://127.0.0.1:8786
    """
    from dataclasses import asdict

    from engine.api.doctor import examine

    checks = []
    for check in examine(db, executor or "local"):
        checks.append(check)
        if not as_json:
            put(f"{check.verdict:<5} {check.name}: {check.detail}")
    healthy = all(check.verdict != "fail" for check in checks)
    if as_json:
        emit({"healthy": healthy, "checks": [asdict(check) for check in checks]})
    raise typer.Exit(0 if healthy else 1)


def settings(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SETTING]...", help="Only these.", autocompletion=complete_settings
        ),
    ] = None,
    keys: Annotated[
        bool, typer.Option("--keys", help="The keys of the screens instead, as they are here.")
    ] = False,
    option: OptionWords = None,
    preset: PresetWord = None,
    as_json: Json = False,
) -> None:
    """List the settings: value here, where it comes from, values that it takes, what it is for.

    A setting is named by --option KEY=VALUE, else by --preset, by PRECEPTOR_KEY in the
    environment, under [settings] in preceptor.toml; else its default holds. Options of a problem
    are named after it, as in --option tsp.kind=whole; those of language models stand in
    preceptor help writers. Keys are changed under [keys]: stop = "ctrl+k"; --keys names them all.

    \b
    Examples:
      preceptor settings
      preceptor settings tune_seconds cascade
      preceptor settings --preset paper --json
      preceptor settings --keys
    """
    if keys:
        _show_keys(names or (), as_json)
        return
    from dataclasses import asdict

    from engine.domain.specs.settings import list_settings
    from problems.errors import UnknownName
    from tui.text.settings import page_known

    known = {one.name: one for one in list_settings(tuple(option or ()), preset)}
    for name in names or ():
        if name not in known:
            raise UnknownName("setting", name, known)
    chosen = [known[name] for name in dict.fromkeys(names or known)]
    if as_json:
        emit({"settings": [asdict(one) for one in chosen]})
    else:
        put(page_known(chosen))


def _show_keys(names: Sequence[str], as_json: bool) -> None:
    """The keys in force, by where they work; only those of some actions where they are named."""
    from engine.domain.specs.settings import FILE
    from problems.errors import UnknownName
    from tui.text.formatting import table
    from tui.widgets.keymap import read_keys

    known = [key for key in read_keys(FILE) if key.name]
    for name in names:
        if name not in {key.name for key in known}:
            raise UnknownName("action", name, sorted({key.name for key in known}))
    chosen = [key for key in known if not names or key.name in names]
    if as_json:
        told = [
            {"name": key.name, "where": key.scope, "keys": key.keys.split(), "about": key.about}
            for key in chosen
        ]
        emit({"keys": told})
    else:
        rows = [(key.name, key.keys, key.scope, key.about) for key in chosen]
        put(table(("action", "keys", "where", "what it does"), rows))


def check(
    context: typer.Context,
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
    after --option eval_seconds=S. Where no model is paid, a run of one child is made then, in a
    store of its own, and exported. Nothing is booked. A language model is paid for its one
    request; then follows what a whole run would cost at most. Exit code: 0 when a run would work,
    1 when the problem breaks its contract, a seed or that small run fails, 2 when the model
    refuses a parameter or a file cannot be used, 3 when writer or teacher is not available; --json
    prints a document with each.

    \b
    Examples:
      preceptor check jssp
      preceptor check ./myproblem
      preceptor check jssp --llm openai:gpt-4o-mini
      preceptor check ./myproblem --llm nemo --teacher program:rule.py --json
    """
    import asyncio

    from engine.api.dry_run import dry_run, examine_own, rehearse
    from problems.errors import BadModule, PreceptorError
    from tui.json.measures import describe_dry_run, describe_refused
    from tui.text.pages.measures import page_dry_run, page_examination

    examined = None
    failed = ""
    try:
        request = make_request(context.params)
        examined = examine_own(request, say)
        if examined is not None and not as_json:
            put(page_examination(examined))
        if examined is None or not examined.broken:
            found = asyncio.run(dry_run(request, db, say))
            if examined is not None and found.is_free and found.exit_code == 0:
                failed = rehearse(request, say)
    except PreceptorError as error:
        code = 1 if examined is not None and isinstance(error, BadModule) else error.exit_code
        if as_json:
            emit(describe_refused(problem, examined, str(error)))
        say(f"preceptor: {error}")
        raise typer.Exit(code) from error
    if examined is not None and examined.broken:
        if as_json:
            emit(describe_refused(problem, examined))
        raise typer.Exit(1)
    if as_json:
        emit(describe_dry_run(found, examined, failed))
    else:
        put(page_dry_run(found))
    if failed:
        say(f"preceptor: {failed}")
    raise typer.Exit(1 if failed else found.exit_code)


def complete_topics(incomplete: str) -> list[str]:
    """The topics that there are pages about."""
    from tui.text.manual import titles

    return [topic for topic in titles() if topic.startswith(incomplete)]


def show_help(
    context: typer.Context,
    topic: Annotated[
        str,
        typer.Argument(
            metavar="[TOPIC]", help="A page, or a command.", autocompletion=complete_topics
        ),
    ] = "",
) -> None:
    """Print a page of the manual, or what a command takes; without a topic, list the pages.

    \b
    Examples:
      preceptor help
      preceptor help first-run
      preceptor help run
    """
    from tui.text.formatting import table
    from tui.text.manual import read_page, titles

    known = titles()
    if not topic:
        put(table(("topic", "about"), list(known.items())))
        return
    put(read_page(topic) if topic in known else _command_help(context, topic, known))


def _command_help(context: typer.Context, name: str, topics: dict[str, str]) -> str:
    from problems.errors import UnknownName

    above = context.parent
    assert above is not None
    commands = getattr(above.command, "commands", {})
    if name not in commands:
        raise UnknownName("topic", name, (*topics, *commands))
    command = commands[name]
    with typer.Context(command, info_name=name, parent=above) as inside:
        return str(command.get_help(inside))
