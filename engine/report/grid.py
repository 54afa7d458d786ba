"""A table ready to be printed, and the forms that it is printed in: Markdown, LaTeX, text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from engine.domain.names import NOTHING

Style = Literal["plain", "best", "quoted"]
"""`best` stands out in bold, `quoted` in italics: a figure of somebody else's."""

BROAD = 9
"""Columns that fit a line of print as they are."""

_LATEX = {
    "\\": r"\textbackslash{}",
    "±": r"$\pm$",
    "Δ": r"$\Delta$",
    "µ": r"$\mu$",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "%&#_${}"},
}
_MARKDOWN = {"best": "**", "quoted": "*", "plain": ""}
_COMMANDS = {"best": "textbf", "quoted": "textit"}


@dataclass(frozen=True, slots=True)
class GridCell:
    """A text and how it stands out."""

    text: str
    style: Style = "plain"


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: a title, names of its columns, cells row by row, notes below."""

    name: str
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[GridCell, ...], ...]
    notes: tuple[str, ...] = ()


def to_markdown(grid: Grid) -> str:
    """A section with a pipe table, words to the left, figures to the right."""
    rules = ["---", *["---:"] * (len(grid.head) - 1)]
    rows = [[_mark_down(cell) for cell in row] for row in grid.rows]
    table = [f"| {' | '.join(row)} |" for row in (grid.head, rules, *rows)]
    return "\n".join([f"## {grid.title}", "", *table, *_list_notes(grid)]) + "\n"


def to_latex(grid: Grid) -> str:
    """A `table` in the style of booktabs, best figures bold, quoted ones in italics.

    A table of many columns is shrunk to the width of the line.
    """
    rows = [[_typeset(cell) for cell in row] for row in grid.rows]
    head, *body = (f"{' & '.join(row)} \\\\" for row in (map(_escape, grid.head), *rows))
    wide = len(grid.head) > BROAD
    lines = [
        r"% \usepackage{booktabs,graphicx}",
        r"\begin{table}[ht]",
        r"\centering\footnotesize",
        rf"\caption{{{_escape(grid.title)}}}",
        rf"\label{{tab:{grid.name}}}",
        *([r"\resizebox{\linewidth}{!}{%"] if wide else []),
        rf"\begin{{tabular}}{{l{'r' * (len(grid.head) - 1)}}}",
        r"\toprule",
        head,
        r"\midrule",
        *body,
        r"\bottomrule",
        rf"\end{{tabular}}{'}' if wide else ''}",
        *(rf"\par {_escape(note)}" for note in grid.notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def show(value: float | None, decimals: int, sign: str = "") -> str:
    """A figure with so many decimals; with six digits where `decimals` is 0."""
    if value is None:
        return NOTHING
    return f"{value:{sign}.{decimals}f}" if decimals else f"{value:{sign}.6g}"


def _mark_down(cell: GridCell) -> str:
    around = _MARKDOWN[cell.style] if cell.text != NOTHING else ""
    return f"{around}{cell.text.replace('|', chr(92) + '|')}{around}"


def _typeset(cell: GridCell) -> str:
    text = _escape(cell.text)
    return text if cell.style == "plain" else rf"\{_COMMANDS[cell.style]}{{{text}}}"


def _escape(text: str) -> str:
    """Text as LaTeX prints it."""
    signs = "".join(map(re.escape, _LATEX))
    return re.sub(f"[{signs}]", lambda found: _LATEX[found.group()], text)


def _list_notes(grid: Grid) -> list[str]:
    return ["", *(f"- {note}" for note in grid.notes)] if grid.notes else []
