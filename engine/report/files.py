"""Studies as files: their tables in Markdown, LaTeX, CSV, JSON; one page on all of them."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from engine.domain.names import name_variant, short_name
from engine.domain.records import RunRow, StudyRow
from engine.report.cost import add_up, lay_out_expenses
from engine.report.grid import Grid, GridCell, escape_markdown, show, to_latex, to_markdown
from engine.report.layouts import itemise, lay_out, lay_out_details, lay_out_print, to_csv
from engine.report.side_by_side import ComparedGroup, Comparison
from engine.report.statistics import Spread
from engine.report.tables import read_tables
from engine.store.reader import Reader, status

SHORT = 12
"""Digits by which a page names the identity of code."""

_GROUP = (
    "Side", "Problem", "Writer", "Runs", "Best cost", "±", "Tokens", "Evaluation CPU (s)",
    "Teacher CPU (s)",
)  # fmt: skip
_WORTH = ("Side", "Problem", "Signal", "Programs", "All", "Better half")


def write_tables(reader: Reader, study: int, folder: Path) -> list[Path]:
    """Write all tables of a study, replacing those that are there; returns the files.

    As the paper prints them and solver by solver in .md, for a page in .tex, all figures unrounded
    in .csv and .json; `expenses` are what the searches used. Raises UnknownName for no such study.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files: list[Path] = []

    def write(name: str, text: str) -> None:
        files.append(folder / name)
        files[-1].write_text(text, "utf-8")

    for table in read_tables(reader, study):
        name = table.shape.name
        grids = (lay_out(table), lay_out_details(table))
        details = list(itemise(table))
        write(f"{name}.md", "\n".join(map(to_markdown, grids)))
        write(f"{name}.tex", to_latex(lay_out_print(table)))
        write(f"{name}.csv", to_csv(details))
        write(f"{name}.json", json.dumps([asdict(one) for one in details], indent=2) + "\n")
    expenses = lay_out_expenses(add_up(reader, reader.study_runs(study).values()))
    write("expenses.md", to_markdown(expenses))
    write("expenses.tex", to_latex(expenses))
    return files


def write_report(
    reader: Reader, comparison: Comparison, studies: Sequence[int], command: str, file: Path
) -> None:
    """One Markdown page: what was compared, how well the teacher informed, every table.

    `command` is what made the page; the page is the same for the same store. Raises UnknownName.
    """
    parts = [f"# Results\n\nMade from a run store by `{command}`.\n"]
    parts += [
        _describe_study(reader.study(study), reader.study_runs(study).values())
        for study in studies
    ]
    parts += [
        to_markdown(grid) for grid in (_lay_out_groups(comparison), *_lay_out_worth(comparison))
    ]
    for study in studies:
        for table in read_tables(reader, study):
            parts += [to_markdown(lay_out(table)), to_markdown(lay_out_details(table))]
        parts.append(
            to_markdown(lay_out_expenses(add_up(reader, reader.study_runs(study).values())))
        )
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(parts), "utf-8")


def _describe_study(row: StudyRow, runs: Collection[RunRow]) -> str:
    """What a study compared, and the code and the teachers' weights that it was made with."""
    spec = row.spec
    made = [run.provenance for run in runs]
    codes = sorted({one.code.rpartition(" ")[2][:SHORT] for one in made if one.code})
    teachers = sorted({f"{one.spec.teacher} {_weights(one)}" for one in runs if one.spec.teacher})
    day = time.strftime("%Y-%m-%d", time.gmtime(row.created))
    names = escape_markdown(", ".join(short_name(task.problem.name) for task in spec.tasks))
    return (
        f"- study {row.number} `{spec.name}` ({status(row)}): {names}; "
        f"arms {escape_markdown(', '.join(spec.methods))}; "
        f"seeds {', '.join(map(str, spec.seeds))}; "
        f"writer {escape_markdown(spec.writer)}. Repeat it: `preceptor study {spec.name}.toml`\n"
        f"- begun {day} with code {', '.join(codes) or 'unknown'}; "
        f"teachers {escape_markdown(', '.join(teachers)) or 'none'}\n"
    )


def _weights(run: RunRow) -> str:
    """The digest of the weights of a run's teacher; of a placebo, of those that it shuffles."""
    found = re.search(r"\b[0-9a-f]{16}\b", run.provenance.fingerprint)
    return found[0] if found else ""


def _lay_out_groups(comparison: Comparison) -> Grid:
    """A row an arm, or a run of its own; warnings are the notes."""
    rows = tuple(tuple(map(GridCell, _group_cells(side))) for side in comparison.groups)
    title = "Design set: costs of the programs returned"
    return Grid("groups", title, _GROUP, rows, comparison.warnings)


def _group_cells(side: ComparedGroup) -> tuple[str, ...]:
    cost = side.cost
    spread = cost.deviation if cost and cost.count > 1 else None
    spent = (side.spent.mean(name) for name in ("tokens", "cpu", "teacher"))
    return (
        side.name,
        name_variant(side.problem, short=True),
        side.rows[0].spec.writer,
        str(len(side.rows)),
        show(cost.mean if cost else None, 0),
        show(spread, 0),
        *(show(value, 1) for value in spent),
    )


def _lay_out_worth(comparison: Comparison) -> Iterator[Grid]:
    rows = tuple(
        (
            GridCell(side.name),
            GridCell(name_variant(side.problem, short=True)),
            GridCell(f"{one.signal}, up to generation {one.generation}"),
            GridCell(show(one.programs, 1)),
            GridCell(_correlation(one.all)),
            GridCell(_correlation(one.better)),
        )
        for side in comparison.groups
        for one in side.last_worth
    )
    if rows:
        title = "What the teacher says against cost: rank correlations inside each run"
        note = "mean over runs ± standard deviation; below 0: what the teacher prefers costs less"
        yield Grid("teacher-worth", title, _WORTH, rows, (note,))


def _correlation(found: Spread | None) -> str:
    text = show(found.mean if found else None, 2, "+")
    return f"{text} ± {show(found.deviation, 2)}" if found and found.count > 1 else text
