"""Options and arguments that several commands share, and what the shell offers for them.

A completion does not fail: where a store or a problem cannot be read, it offers nothing.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.domain.names import DEFAULT_DB, ON_END
from problems.base import Problem
from problems.errors import PreceptorError

if TYPE_CHECKING:
    from engine.api.resolve import Answering, RunRequest
    from engine.domain.specs.settings import Caps


def complete_runs(context: typer.Context, incomplete: str) -> list[str]:
    """The numbers and names of the runs in the store, and its studies."""

    def listed() -> Iterable[str]:
        from engine.monitor import Reader

        with Reader(context.params.get("db") or DEFAULT_DB) as reader:
            studies = (f"study:{row.number}" for row in reader.studies())
            rows = reader.runs()
            names = (row.label.name for row in rows if row.label.name)
            return ["latest", *(str(row.number) for row in rows), *names, *studies]

    return _offer(listed, incomplete)


def complete_programs(context: typer.Context, incomplete: str) -> list[str]:
    """The programs of the run that is typed."""

    def listed() -> Iterable[str]:
        from engine.monitor import Reader
        from engine.monitor.lookup import pick_run

        db = context.params.get("db") or DEFAULT_DB
        number = pick_run(db, context.params.get("run") or "latest")
        with Reader(db) as reader:
            return [candidate.id for candidate in reader.candidates(number)]

    return _offer(listed, incomplete)


def complete_problems(incomplete: str) -> list[str]:
    """The names of the problems."""
    import problems

    return _offer(problems.names, incomplete)


def complete_methods(incomplete: str) -> list[str]:
    """The names of the methods."""
    from engine.api.resolve import method_names

    return _offer(method_names, incomplete)


def complete_options(incomplete: str) -> list[str]:
    """The names of the settings, each ready for its value; behind it the words that it takes."""
    from engine.domain.specs.settings import CHOICES, option_names

    key, equals, _ = incomplete.partition("=")
    if equals:
        return _offer(lambda: [f"{key}={word}" for word in CHOICES.get(key, ())], incomplete)
    return _offer(lambda: [f"{name}=" for name in option_names()], incomplete)


def complete_settings(incomplete: str) -> list[str]:
    """The names of the settings."""
    from engine.domain.specs.settings import option_names

    return _offer(option_names, incomplete)


def complete_presets(incomplete: str) -> list[str]:
    """The names of the presets."""
    from engine.domain.specs.settings import PRESETS

    return _offer(lambda: PRESETS, incomplete)


def complete_sets(context: typer.Context, incomplete: str) -> list[str]:
    """The instance sets of the problem that is typed."""
    return _offer(lambda: [one.name for one in _problem(context).sets()], incomplete)


def complete_solvers(context: typer.Context, incomplete: str) -> list[str]:
    """The classical rules of the problem that is typed."""
    return _offer(lambda: [rule.name for rule in _problem(context).rules()], incomplete)


def complete_teachers(incomplete: str) -> list[str]:
    """The names of the teachers, `rollout` and `auto`."""

    def listed() -> Iterable[str]:
        import teachers
        from engine.domain.names import AUTO, ROLLOUT

        return (*teachers.names(), ROLLOUT, AUTO)

    return _offer(listed, incomplete)


def complete_writers(incomplete: str) -> list[str]:
    """The built-in writer, those of preceptor.toml, and the beginnings of other words."""

    def listed() -> Iterable[str]:
        from engine.api.resolve import writer_names

        return (*writer_names(), "openai:", "replay:")

    return _offer(listed, incomplete)


def _problem(context: typer.Context) -> Problem:
    import problems

    unread = next(iter(context.args), "")  # where the option before the cursor has no value yet
    return problems.load(context.params.get("problem") or unread)


def _offer(listed: Callable[[], Iterable[str]], incomplete: str) -> list[str]:
    """The words that begin with what is typed; none where they cannot be found out."""
    try:
        return [word for word in listed() if word.startswith(incomplete)]
    except PreceptorError:
        return []


def read_options(typed: Mapping[str, Any]) -> tuple[str, ...]:
    """Settings as words, with those that have an option of their own: executor and kind."""
    from engine.domain.specs.settings import kind_words

    kind = kind_words(typed.get("problem", ""), typed.get("kind"))
    executor = typed.get("executor")
    return (*typed["option"], *kind, *([f"executor={executor}"] if executor else []))


def read_caps(typed: Mapping[str, Any]) -> Caps:
    """The caps among the options of a command."""
    from engine.domain.specs.settings import Caps

    return Caps(*(typed[f"max_{name}"] for name in ("calls", "tokens", "usd", "time")))


def make_request(typed: Mapping[str, Any]) -> RunRequest:
    """The run that the options of a command, or of its form, ask for, by their names."""
    from engine.api.resolve import RunRequest

    return RunRequest(
        typed["problem"],
        method=typed["method"],
        seed=typed.get("seed"),
        writer=typed["llm"],
        analyzer=typed["analyzer_llm"],
        teacher=",".join(typed["teacher"]) or None,
        design=typed.get("design"),
        preset=typed.get("preset"),
        options=read_options(typed),
        caps=read_caps(typed),
        start=tuple(typed.get("start") or ()),
    )


def make_answering(typed: Mapping[str, Any]) -> Answering:
    """Who answers a run that continues as another, by the options of a command."""
    from engine.api.resolve import Answering

    teacher = ",".join(typed["teacher"])
    return Answering(typed["llm"] or "", typed["analyzer_llm"] or "", teacher)


def bring_up_to_date(db: Path) -> Path:
    """The store of a command: written by an older version, it is updated before it is read."""
    from engine.api.store import update

    update(db)
    warn_unless_whole(db)
    return db


def warn_unless_whole(db: Path) -> None:
    """Say of a store that was deleted, or copied without its log, what is missing."""
    from engine.api.store import is_whole
    from tui.text.streams import say

    rescued = () if db.exists() else sorted(db.parent.glob(f"{db.name}.rescued-*"))
    if rescued:
        say(f"{db} was deleted while an engine had it open; what it held is in {rescued[-1]}")
    if not is_whole(db):
        say(
            f"{db} is not all of its store: it was copied without its log {db.name}-wal, or the "
            "log was lost; what its runs did since they last closed a generation is missing"
        )


def read_span(text: str) -> float:
    """Seconds of a span of time as typed."""
    from engine.domain.text.figures import read_time_span
    from problems.errors import UserError

    try:
        return read_time_span(text)
    except UserError as error:
        raise typer.BadParameter(str(error)) from error


def refuse_endless(usd: float | None) -> float | None:
    """An amount of money that can be reached."""
    if usd is not None and not math.isfinite(usd):
        raise typer.BadParameter(f"{usd} is no cap; leave the option out for none")
    return usd


def hand_on(command: str | None) -> str | None:
    """Leave the command where the engine that this process will start finds it."""
    if command:
        os.environ[ON_END] = command
    return command


Db = Annotated[
    Path,
    typer.Option(
        "--db",
        metavar="FILE",
        envvar="PRECEPTOR_DB",
        help="The run store.",
        callback=bring_up_to_date,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON (docs/schema) to stdout.")]
RunWord = Annotated[
    str,
    typer.Argument(
        metavar="[RUN]", help="A run's number or name, or latest.", autocompletion=complete_runs
    ),
]
Word = Annotated[
    str,
    typer.Argument(
        metavar="[RUN]",
        help="A run's number or name, latest, or a study as study:N.",
        autocompletion=complete_runs,
    ),
]
WordAtWork = Annotated[
    str,
    typer.Argument(
        metavar="[RUN]",
        help="A run's number or name, latest, or a study as study:N. Without it the newest "
        "run at work, and where none is, the latest.",
        autocompletion=complete_runs,
        show_default=False,
    ),
]
ProblemWord = Annotated[
    str,
    typer.Argument(
        metavar="PROBLEM",
        help="A problem's name, or the folder of your own.",
        autocompletion=complete_problems,
    ),
]
OptionWords = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KEY=VALUE",
        help="A setting (preceptor settings lists them); may be repeated.",
        autocompletion=complete_options,
    ),
]
KindWord = Annotated[
    str | None,
    typer.Option(
        "--kind",
        metavar="KIND",
        help="rule: programs decide step by step, the default; whole: they return a whole "
        "solution. Short for --option PROBLEM.kind=KIND.",
        autocompletion=lambda: ("rule", "whole"),
    ),
]
ExecutorWord = Annotated[
    str | None,
    typer.Option(
        "--executor",
        metavar="WHERE",
        help="Where programs are evaluated: local, or dask:ADDRESS of a Dask scheduler.",
    ),
]
PresetWord = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Settings by name: paper. Goes before environment and preceptor.toml.",
        autocompletion=complete_presets,
    ),
]
MethodWord = Annotated[
    str | None,
    typer.Option(
        help="The search method, or FILE.toml with your own; preceptor by default.",
        autocompletion=complete_methods,
    ),
]
Estimate = Annotated[
    bool,
    typer.Option("--estimate", "--dry-run", help="Say what it would do and cost; start nothing."),
]

Headless = Annotated[
    bool, typer.Option("--headless", help="Progress lines, whatever the terminal.")
]
WriterWord = Annotated[
    str | None,
    typer.Option(
        metavar="SPEC",
        help="Who writes programs: builtin, openai:MODEL, folder:DIR, replay:RUN, FILE.py:CLASS; "
        "several as A,B; builtin by default.",
        autocompletion=complete_writers,
    ),
]
AnalyzerWord = Annotated[
    str | None,
    typer.Option(
        metavar="SPEC",
        help="Who writes briefs; the writer by default.",
        autocompletion=complete_writers,
    ),
]
TeacherWords = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="The teacher; the method's own by default.",
        autocompletion=complete_teachers,
    ),
]
MaxCalls = Annotated[int | None, typer.Option(min=0, metavar="N", help="Writer calls at most.")]
MaxTokens = Annotated[
    int | None, typer.Option(min=0, metavar="N", help="Tokens at most, in and out.")
]
MaxUsd = Annotated[
    float | None,
    typer.Option(min=0, metavar="X", callback=refuse_endless, help="US dollars at most."),
]
MaxTime = Annotated[
    float | None,
    typer.Option(
        metavar="TIME",
        parser=read_span,
        help="Time at work at most: 90s, 30m, 1h30m; the winner is chosen after it.",
    ),
]
OnEnd = Annotated[
    str | None,
    typer.Option(
        "--on-end",
        metavar="COMMAND",
        envvar=ON_END,
        callback=hand_on,
        help="What the shell shall do when it is over, however it ends; it finds PRECEPTOR_JOB, "
        "PRECEPTOR_STATUS and PRECEPTOR_DB in its environment.",
    ),
]


Device = Annotated[
    str, typer.Option(metavar="NAME", help="Where a teacher computes: auto, cpu, cuda.")
]
PROGRAM = "A program: a file, - for standard input, run:N or run:N/ID."
