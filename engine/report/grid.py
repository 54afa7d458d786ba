"""A table ready to be printed, and the forms that it is printed in: Markdown, LaTeX, text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.domain.names import NOTHING
from engine.domain.text.plain_text import one_line

Style = Literal["plain", "best", "quoted"]
"""`best` stands out in bold, `quoted` in italics: a figure of somebody else's."""

BROAD = 72
"""Letters of 8 pt that fit a line of print, 345 pt, where every column costs `GAP` more."""

GAP = 2

_LATEX = {
    "\\": r"\textbackslash{}",
    "±": r"$\pm$",
    "Δ": r"$\Delta$",
    "µ": r"$\mu$",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "%&#_${}"},
}
_SPECIAL = re.compile(r"[\\`*\[\]|$~#!]|(?<!\w)_|_(?!\w)")
"""What Markdown reads as more than itself: not an underscore inside a word."""

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "://": "&#58;//", "www.": "www&#46;"}
_MARKDOWN = {"best": "**", "quoted": "*", "plain": ""}
_COMMANDS = {"best": "textbf", "quoted": "textit"}


@dataclass(frozen=True, slots=True)
class GridCell:
    """A text and how it stands out; `quoted` is somebody else's figure for the same, if any."""

    text: str
    style: Style = "plain"
    quoted: str = ""


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
    head = map(escape_markdown, grid.head)
    table = [f"| {' | '.join(row)} |" for row in (head, rules, *rows)]
    title = escape_markdown(grid.title)
    return "\n".join([f"## {title}", "", *table, *_list_notes(grid)]) + "\n"


def to_latex(grid: Grid) -> str:
    """A `table` in the style of booktabs at 8 pt, best figures bold, quoted ones in italics.

    Columns that do not fit a line stand in further blocks below, under the same first column.
    """
    lines = [
        r"% \usepackage{booktabs}",
        r"\begin{table}[ht]",
        r"\centering\footnotesize\setlength{\tabcolsep}{3pt}",
        rf"\caption{{{_escape(grid.title)}}}",
        rf"\label{{tab:{grid.name}}}",
        *_join(_typeset_block(grid, block) for block in _break(grid)),
        *([r"\par\medskip\raggedright"] if grid.notes else []),
        *(rf"{_escape(note)}.\par" for note in grid.notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _break(grid: Grid) -> list[list[int]]:
    """The columns after the first in blocks that fit a line."""
    widths = [_width(grid, index) for index in range(len(grid.head))]
    blocks: list[list[int]] = [[]]
    for index, width in enumerate(widths[1:], start=1):
        taken = widths[0] + sum(widths[other] for other in blocks[-1])
        if blocks[-1] and taken + width > BROAD:
            blocks.append([])
        blocks[-1].append(index)
    return blocks


def _width(grid: Grid, index: int) -> int:
    """Letters of a column: of its widest line, bold ones broader."""
    texts = [*_split_head(grid.head[index]), *(row[index].quoted for row in grid.rows)]
    for row in grid.rows:
        texts += _split_spread(row[index].text)
    return GAP + max(map(len, texts), default=0)


def _join(blocks: Iterable[list[str]]) -> list[str]:
    lines: list[str] = []
    for block in blocks:
        lines += [r"\par\medskip", *block] if lines else block
    return lines


def _typeset_block(grid: Grid, columns: Sequence[int]) -> list[str]:
    chosen = [0, *columns]
    heads = [list(map(_escape, _split_head(grid.head[i]))) for i in chosen]
    head = [_stack(lines, "l" if i == 0 else "r") for i, lines in enumerate(heads)]
    rows = [[_typeset(row[i]) for i in chosen] for row in grid.rows]
    head_line, *body = (f"{' & '.join(row)} \\\\" for row in (head, *rows))
    tall = any(cell.quoted or "±" in cell.text for row in grid.rows for cell in row)
    return [
        rf"\begin{{tabular}}{{@{{}}l{'r' * len(columns)}@{{}}}}",
        r"\toprule",
        head_line,
        r"\midrule",
        *(rf"{line}[3pt]" if tall else line for line in body),
        r"\bottomrule",
        r"\end{tabular}",
    ]


def show(value: float | None, decimals: int, sign: str = "") -> str:
    """A figure with so many decimals; with six digits where `decimals` is 0."""
    if value is None:
        return NOTHING
    return f"{value:{sign}.{decimals}f}" if decimals else f"{value:{sign}.6g}"


def _mark_down(cell: GridCell) -> str:
    around = _MARKDOWN[cell.style] if cell.text != NOTHING else ""
    return f"{around}{escape_markdown(cell.text)}{around}"


def escape_markdown(text: str) -> str:
    """Text that a page of Markdown, and the HTML or LaTeX made of it, shows as it is: one line."""
    text = _SPECIAL.sub(r"\\\g<0>", one_line(text))
    for sign, entity in _ENTITIES.items():
        text = text.replace(sign, entity)
    return text


def _typeset(cell: GridCell) -> str:
    """A figure, below it small its spread and the figure that is quoted for it."""
    figure, *spread = _split_spread(cell.text)
    text = _escape(figure)
    lines = [text if cell.style == "plain" else rf"\{_COMMANDS[cell.style]}{{{text}}}"]
    lines += [rf"{{\scriptsize {_escape(part)}}}" for part in spread]
    lines += [rf"{{\scriptsize\textit{{{_escape(cell.quoted)}}}}}"] if cell.quoted else []
    return _stack(lines, "r")


def _split_spread(text: str) -> list[str]:
    """`1.0 ± 0.1` as `1.0` and `± 0.1`."""
    figure, sign, spread = text.partition(" ± ")
    return [figure, f"± {spread}"] if sign else [figure]


def _split_head(text: str) -> list[str]:
    """A heading in lines: at blanks, and after the hyphens of what is long."""
    words = text.split()
    return [part for word in words for part in re.findall(r".{6,}?-|.+", word)]


def _stack(lines: Sequence[str], side: str) -> str:
    r"""Lines above one another; a figure stands on the line of its row."""
    if len(lines) < 2:
        return "".join(lines)
    rows = r"\\".join(lines)
    return rf"\begin{{tabular}}[t]{{@{{}}{side}@{{}}}}{rows}\end{{tabular}}"


def _escape(text: str) -> str:
    """Text as LaTeX prints it, in one line."""
    signs = "".join(map(re.escape, _LATEX))
    return re.sub(f"[{signs}]", lambda found: _LATEX[found.group()], one_line(text))


def _list_notes(grid: Grid) -> list[str]:
    return ["", *(f"- {escape_markdown(note)}" for note in grid.notes)] if grid.notes else []
