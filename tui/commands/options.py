"""Options and arguments that several commands share, so that they read the same everywhere."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.domain.names import ON_END
from tui.commands.complete import (
    complete_methods,
    complete_options,
    complete_presets,
    complete_problems,
    complete_runs,
    complete_teachers,
    complete_writers,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


def with_executor(words: Sequence[str] | None, executor: str | None) -> tuple[str, ...]:
    """Settings as words, with the one that has an option of its own."""
    return (*(words or ()), *([f"executor={executor}"] if executor else []))


def with_kind(problem: str, words: Sequence[str] | None, kind: str | None) -> tuple[str, ...]:
    """Settings as words, with the kind of a problem's programs."""
    from engine.domain.specs.settings import kind_words

    return (*(words or ()), *kind_words(problem, kind))


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
    from engine.domain.text.time_span import read_time_span
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
Headless = Annotated[
    bool, typer.Option("--headless", help="Progress lines, whatever the terminal.")
]
WriterWord = Annotated[
    str | None,
    typer.Option(
        metavar="SPEC",
        help="Who writes programs, several as A,B; builtin by default.",
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
