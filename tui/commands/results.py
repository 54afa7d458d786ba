"""`preceptor runs`, `show`, `compare` and `label`: what runs have found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.options import Db, Json, RunWord, complete_programs, complete_runs
from tui.text.streams import emit, put, say

if TYPE_CHECKING:
    from engine.monitor import Reader
    from engine.report.side_by_side import Comparison


def runs(
    db: Db = DEFAULT_DB,
    tag: Annotated[
        str, typer.Option(metavar="TAG", help="Only runs with this tag (preceptor label).")
    ] = "",
    as_json: Json = False,
) -> None:
    """List all runs, newest first, and the studies that they belong to.

    \b
    Examples:
      preceptor runs
      preceptor runs --db old.db --json
    """
    from engine.monitor import Reader
    from engine.monitor.run_summary import list_runs
    from engine.monitor.study_status import read_study_status
    from tui.json.runs import describe_entry, describe_study_status
    from tui.text.pages.run import page_runs
    from tui.text.pages.study import advise_study

    with Reader(db) as reader:
        entries = [one for one in list_runs(reader) if not tag or tag in one.row.label.tags]
        studies = [read_study_status(reader, row.number) for row in reader.studies()]
    if as_json:
        listed = [describe_study_status(status) for status in studies]
        emit({"studies": listed, "runs": [describe_entry(entry) for entry in entries]})
    elif entries or studies:
        put(page_runs(entries, studies))
        for status in studies:
            if status.status == "interrupted":
                say(advise_study(status, db) or "")
    else:
        which = f"with tag {tag}" if tag else "yet"
        say(f"{db} holds no runs {which}; start one with: preceptor run PROBLEM")


def show(
    run: RunWord = "latest",
    program: Annotated[
        str,
        typer.Argument(
            metavar="[PROGRAM]",
            help="A program of the run, such as p0031.",
            autocompletion=complete_programs,
        ),
    ] = "",
    settings: Annotated[
        bool, typer.Option("--settings", help="List every setting with its default.")
    ] = False,
    db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Show a run, or one of its programs, in full.

    Of a run: result, totals, population, failures, yield of the operators, changed settings.
    Of a program: code, cost, the teacher's comments with their cases, prompt and reply.

    \b
    Examples:
      preceptor show
      preceptor show 12
      preceptor show 12 p0031 --json
    """
    from engine.monitor import Reader
    from engine.monitor.lookup import pick_run

    number = pick_run(db, run)
    with Reader(db) as reader:
        if program:
            _show_program(reader, number, program, as_json)
        else:
            _show_run(reader, number, settings, as_json)


def _show_run(reader: Reader, run: int, settings: bool, as_json: bool) -> None:
    from engine.monitor.run_summary import summarise
    from tui.json.runs import describe_run
    from tui.text.pages.run import page_run

    summary = summarise(reader, run)
    if as_json:
        emit(describe_run(summary))
    else:
        put(page_run(summary, settings))


def _show_program(reader: Reader, run: int, id: str, as_json: bool) -> None:
    from engine.monitor.run_result import natural_objective
    from engine.monitor.speed import find_speed
    from tui.json.runs import describe_program
    from tui.text.pages.run import page_program

    candidate = reader.candidate(run, id)
    speed = find_speed(reader, run, candidate)
    exchanges = [
        exchange
        for exchange in reader.exchanges(run, candidate.generation, candidate.slot)
        if exchange.call.key.purpose == "program"
    ]
    row = reader.run(run)
    if as_json:
        objective = natural_objective(row, candidate.cost)
        emit(describe_program(run, candidate, objective, exchanges, speed, row.spec.teacher))
    else:
        parents = [reader.candidate(run, parent) for parent in candidate.parents]
        put(page_program(candidate, parents, exchanges, speed))


def compare(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN|STUDY...",
            help="Two runs or more, or a study as study:N or by its name.",
            autocompletion=complete_runs,
        ),
    ],
    tables: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write the studies' tables: .md, .tex, .csv, .json."),
    ] = None,
    plots: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Draw plots: .png, .svg, .pdf (needs preceptor[export])."
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE.md", help="Write all tables on one Markdown page."),
    ] = None,
    db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Compare runs, or the methods of a study: curves, settings, operators, failures, code.

    Of a study also the tables, as in the paper, with the paper's own figures beside ours where
    the set is the same. Nothing is run: a study prints the same at any time.

    \b
    Examples:
      preceptor compare 3 4
      preceptor compare paper-jssp --tables tables --plots plots
      preceptor compare study:1 study:2 --json
      preceptor compare paper-jssp 7 --report results.md
    """
    from engine.monitor import Reader
    from engine.report.files import write_report, write_tables
    from engine.report.side_by_side import compare_groups, pick

    runs, studies = pick(db, words)
    with Reader(db) as reader:
        comparison = compare_groups(reader, runs, studies)
        _tell_comparison(reader, comparison, studies, as_json)
        if tables:
            for study in studies:
                _announce_files(write_tables(reader, study, _folder(tables, study, studies)))
        if report:
            command = f"preceptor compare {' '.join(words)} --report {report}"
            write_report(reader, comparison, studies, command, report)
            _announce_files([report])
        if plots:
            _announce_files(_draw_plots(comparison, plots))


def _announce_files(files: Iterable[Path]) -> None:
    for file in files:
        say(f"wrote {file}")


def _tell_comparison(
    reader: Reader, comparison: Comparison, studies: Sequence[int], as_json: bool
) -> None:
    from engine.report.grid import to_markdown
    from engine.report.layouts import lay_out
    from engine.report.tables import read_tables
    from tui.json.compare import describe_comparison
    from tui.text.pages.compare import page_comparison

    found = [table for study in studies for table in read_tables(reader, study)]
    if as_json:
        emit(describe_comparison(comparison, found))
        return
    put(page_comparison(comparison))
    for table in found:
        put(f"\n{to_markdown(lay_out(table))}", end="")


def _draw_plots(comparison: Comparison, folder: Path) -> list[Path]:
    """The plots of every problem."""
    from engine.domain.names import name_variant
    from engine.report.plots import draw_all

    files: list[Path] = []
    for problem in comparison.problems:
        sides = [side for side in comparison.groups if side.problem == problem]
        title = name_variant(problem, short=True).replace(" ", "-")
        files += draw_all([side.series for side in sides], title, folder, sides[0].best_known)
    return files


def _folder(folder: Path, study: int, studies: Sequence[int]) -> Path:
    """One folder a study where there are several."""
    return folder / f"study-{study}" if len(studies) > 1 else folder


def label(
    run: RunWord,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="What it is called; '' takes the name away.")
    ] = None,
    note: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What to remember; '' takes it away.")
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="A tag to add; may be repeated.")
    ] = None,
    untag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="A tag to drop; may be repeated.")
    ] = None,
    db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Name a run, note something about it, tag it; without options, say what is there.

    A name may be typed wherever a run's number may. Names and tags are single words.

    \b
    Examples:
      preceptor label 12 --name night --note "after the fields were widened" --tag paper
      preceptor show night
      preceptor runs --tag paper
    """
    from dataclasses import asdict

    from engine.api.store import label_run
    from engine.monitor.lookup import pick_run

    number = pick_run(db, run)
    now = label_run(db, number, name, note, tuple(tag or ()), tuple(untag or ()))
    if as_json:
        emit({"run": number, **asdict(now)})
    else:
        parts = (now.name or "no name", ", ".join(now.tags) or "no tags", now.note or "no note")
        put(f"run {number}: {'; '.join(parts)}")
