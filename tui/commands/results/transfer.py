"""`preceptor export-run` and `preceptor import`: whole runs from machine to machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.options import Db, Json, RunWord, warn_unless_whole
from tui.text.streams import emit, emit_line, put, say


def export_run(
    file: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE.run", help="The new file.")
    ],
    run: RunWord = "latest",
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Write a whole run to one file: for another machine, a colleague, an archive, a demo.

    It holds settings, prompts and replies, programs, evaluations, diagnostics, briefs and events;
    no key, but the paths of files of your own that the run used. Of a run at work it holds what is
    recorded by now.

    \b
    Examples:
      preceptor export-run 12 -o night.run
      preceptor run jssp --llm replay:night.run     repeat it elsewhere, without a model
    """
    from engine.api.export import refuse_existing
    from engine.api.store import SUFFIX
    from engine.api.store import export_run as write_run
    from engine.monitor.lookup import pick_run
    from problems.errors import UserError

    if file.suffix != SUFFIX:
        raise UserError(f"a recorded run is named NAME{SUFFIX}; try -o {file.stem}{SUFFIX}")
    refuse_existing(file, force)
    number = pick_run(db, run)
    write_run(db, number, file)
    size = file.stat().st_size
    if as_json:
        emit({"run": number, "file": str(file), "bytes": size})
    else:
        put(f"{file}: run {number}, {size / 1000:.0f} kB")


def import_run(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Files of export-run, or other run stores."),
    ],
    trust_problem: Annotated[
        bool,
        typer.Option("--trust-problem", help="Take a run whose problem is a file with code."),
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Take a run that the store holds already once more.")
    ] = False,
    db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Add runs from another machine to the store: recorded ones, or all runs of another store.

    They can be shown, watched, exported, replayed and, if they did not finish, resumed like runs
    of your own. A run keeps its number where that is free. A file is data: nothing in it is
    executed, and its text is cleaned. It may name a file of yours as its problem, whose code would
    run when the run is shown: that has to be trusted. Resuming calls the writer and the teacher it
    names. A run that the store holds already is not copied; studies stay where they are. Of
    several files, each that can be read is imported.

    \b
    Examples:
      preceptor import night.run
      preceptor import studies/recorded/*.run --db recorded.db
      preceptor import other.db --json
    """
    from engine.monitor import Reader
    from problems.errors import UserError

    with Reader(db) as reader:
        known = {row.number for row in reader.runs()}
    refused = list[UserError]()
    for file in files:
        try:
            _import(db, file, trust_problem, again, known, as_json)
        except UserError as error:
            refused.append(error)
    for earlier in refused[:-1]:
        say(str(earlier))
    if refused:
        raise refused[-1]


def _import(
    db: Path, file: Path, trusted: bool, again: bool, known: set[int], as_json: bool
) -> None:
    """The runs of one file, each described; `known` are the runs of the store, and grows."""
    from engine.api.store import import_run as read_run
    from engine.api.store import import_store, is_store
    from problems.errors import UserError

    if is_store(file):
        warn_unless_whole(file)
        found = import_store(db, file, trusted, again)
    else:
        found = iter([(0, read_run(db, file, trusted, again))])
    for source, number in found:
        if isinstance(number, UserError):
            say(f"run {source} of {file} is left out: {number}")
        else:
            _tell_import(db, file, number, number in known, as_json)
            known.add(number)


def _tell_import(db: Path, file: Path, number: int, known: bool, as_json: bool) -> None:
    from engine.domain.names import command
    from engine.monitor import Reader, status
    from tui.text.settings import title

    with Reader(db) as reader:
        row = reader.run(number)
    if as_json:
        emit_line({"run": number, "file": str(file), "status": status(row), "known": known})
        return
    put(f"run {number} {status(row)}: {title(row.spec)}")
    if known:
        say(f"{db} holds this run already, as run {number}; --again makes a second copy")
    say(f"see it with: {command(f'show {number}', db)}")
