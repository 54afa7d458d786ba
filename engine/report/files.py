"""The tables of a study as files: Markdown, LaTeX, CSV, JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from engine.report.cost import add_up, lay_out_expenses
from engine.report.grid import to_latex, to_markdown
from engine.report.layouts import itemise, lay_out, lay_out_details, lay_out_print, to_csv
from engine.report.tables import read_tables

if TYPE_CHECKING:
    from pathlib import Path

    from engine.store.reader import Reader


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
