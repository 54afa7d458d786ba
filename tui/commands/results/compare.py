"""`preceptor compare`: runs and studies side by side, their tables and plots."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.complete import complete_runs
from tui.commands.options import Db, Json
from tui.text.streams import emit, put, say

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.monitor import Reader
    from engine.report.side_by_side import Comparison


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
        _tell(reader, comparison, studies, as_json)
        if tables:
            for study in studies:
                _announce(write_tables(reader, study, _folder(tables, study, studies)))
        if report:
            command = f"preceptor compare {' '.join(words)} --report {report}"
            write_report(reader, comparison, studies, command, report)
            _announce([report])
        if plots:
            _announce(_draw(comparison, plots))


def _announce(files: Iterable[Path]) -> None:
    for file in files:
        say(f"wrote {file}")


def _tell(reader: Reader, comparison: Comparison, studies: Sequence[int], as_json: bool) -> None:
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


def _draw(comparison: Comparison, folder: Path) -> list[Path]:
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
