"""`preceptor export`, `export-run`, `import`, `remove` and `vacuum`: in and out of the store."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.options import Db, Json, RunWord, complete_runs, warn_unless_whole
from tui.text.formatting import in_milliseconds
from tui.text.streams import emit, emit_line, is_terminal, put, say

if TYPE_CHECKING:
    pass


def export(
    file: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The new file.")],
    run: RunWord = "latest",
    program: Annotated[
        str, typer.Option(metavar="ID", help="A program of the run; its best by default.")
    ] = "",
    under: Annotated[
        str,
        typer.Option(
            metavar="TIME", help="The best that takes at most so long a decision, as in 1ms."
        ),
    ] = "",
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Replace a file that is there; take a program that the gate refuses."
        ),
    ] = False,
    problem: Annotated[
        str, typer.Option(metavar="FOLDER", help="Where a problem of your own lies now.")
    ] = "",
    db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Write a program to a file of its own, with where it comes from in the docstring.

    The function needs nothing of Preceptor; run as a script, the file solves an instance that it
    carries and compares actions and cost with the recorded ones. For a problem of your own it does
    so by Preceptor, with the problem's folder: python rule.py ./shop

    \b
    Examples:
      preceptor export latest -o rule.py && python rule.py
      preceptor export 12 --program p0031 -o rule.py --force
      preceptor export 12 --under 0.1ms -o quick.py
    """
    from engine.api.export import refuse_existing
    from engine.api.run import Run
    from engine.monitor.lookup import pick_run
    from tui.json.runs import pick

    refuse_existing(file, force)
    chosen = Run(db, pick_run(db, run))
    made = chosen.export(file, program, force, under, problem)
    if made.unchecked:
        say(f"{file} cannot check itself: {made.unchecked}")
    if as_json:
        names = ("cost", "selection_cost", "agreement")
        emit(
            {
                "run": chosen.number,
                "file": str(file),
                **pick(made.candidate, *names, program="id"),
                "objective": made.objective,
                "milliseconds": in_milliseconds(made.candidate.pace),
                "checks_itself": made.unchecked is None,
            }
        )
    else:
        put(f"{file}: program {made.candidate.id} of {chosen.job}")


def export_run(
    file: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE.run", help="The new file.")
    ],
    run: RunWord = "latest",
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    lean: Annotated[
        bool,
        typer.Option("--lean", help="Without the actions of programs: a tenth as large."),
    ] = False,
    db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Write a whole run to one file: for another machine, a colleague, an archive, a demo.

    It holds settings, prompts and replies, programs, evaluations, diagnostics, briefs and events;
    no key, but the paths of files of your own that the run used. Of a run at work it holds what is
    recorded by now. From a lean file decisions cannot be drawn.

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
    write_run(db, number, file, lean)
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


def remove(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN...", help="Runs by number or name.", autocompletion=complete_runs
        ),
    ],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Delete runs for good, after a question; what other runs refer to stays.

    A run at work, one of a study, and one that another continues from are kept. The file gets
    smaller with preceptor vacuum. Exit code: 0 removed, 1 not after all, 2 when one must stay.

    \b
    Examples:
      preceptor export-run 12 -o night.run     first, if it may be missed
      preceptor remove 12
      preceptor remove 3 4 5 --yes
    """
    from engine.api.store import remove_run
    from engine.domain.names import command
    from engine.monitor import Reader
    from engine.monitor.lookup import pick_run
    from engine.monitor.run_result import read_run_result
    from problems.errors import UserError
    from tui.text.pages.result import format_title

    numbers = list(dict.fromkeys(pick_run(db, word) for word in words))
    if not yes and not is_terminal(sys.stdin):
        raise UserError("nobody is there to be asked; add --yes")
    if not yes:
        with Reader(db) as reader:
            for number in numbers:
                say(format_title(read_run_result(reader, number)))
        if not typer.confirm("remove for good?", err=True):
            raise typer.Exit(1)
    for number in numbers:
        remove_run(db, number)
    if as_json:
        emit({"removed": numbers})
    else:
        put(f"removed: {', '.join(map(str, numbers))}")
        say(f"give the space back with: {command('vacuum', db)}")


def vacuum(db: Db = DEFAULT_DB, as_json: Json = False) -> None:
    """Give the space of removed runs back to the disk. No engine may be at work.

    \b
    Examples:
      preceptor vacuum
      preceptor vacuum --db old.db --json
    """
    from engine.api.store import vacuum as shrink
    from problems.errors import UserError

    if not db.exists():
        raise UserError(f"{db}: there is no such run store")
    before, after = shrink(db)
    if as_json:
        emit({"before": before, "after": after})
    else:
        put(f"{db}: {before / 1e6:.1f} MB before, {after / 1e6:.1f} MB now")
