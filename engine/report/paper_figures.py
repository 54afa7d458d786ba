"""The figures of the paper's result tables, as printed there; none was computed by us.

They stand in `paper_figures.json`. Source: the paper's tables jssp_random, jssp_ood, tsp_results,
cvrp_results, maxcut_results, ablation.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

import msgspec

from engine.runtime.measure.solvers import TEACHER

Figures = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class PaperColumn:
    """A column of the paper: what it calls a solver, and what we call it.

    `name` is a method, a rule, the best known, or `teacher:` and how a teacher's name begins.
    """

    label: str
    name: str

    def holds(self, solver: str, is_teacher: bool) -> bool:
        """Whether a solver of ours belongs into this column."""
        return self.covers(PaperColumn(solver, f"{TEACHER}{solver}" if is_teacher else solver))

    def covers(self, other: PaperColumn) -> bool:
        """Whether a column is this one, or holds one of its teachers."""
        of_teachers = self.name.startswith(TEACHER)
        return other.name.startswith(self.name) if of_teachers else other.name == self.name


@dataclass(frozen=True, slots=True)
class PaperLine:
    """A data set of the paper: its name there, the sets here that it is or that stand in for it.

    `figures` and `seconds` go with the columns; None where the paper has no number.
    """

    label: str
    sets: tuple[str, ...]
    figures: Figures
    seconds: Figures = ()


@dataclass(frozen=True, slots=True)
class PaperTable:
    """One table of results: `decimals` as printed; an `ablation` has its methods as rows."""

    name: str
    title: str
    problem: str
    objective: str
    decimals: int
    columns: tuple[PaperColumn, ...]
    lines: tuple[PaperLine, ...]
    ablation: bool = False


def _read() -> tuple[PaperTable, ...]:
    text = files(__package__).joinpath("paper_figures.json").read_bytes()
    return msgspec.json.decode(text, type=tuple[PaperTable, ...])


TABLES = _read()
"""All of them, in the paper's order; the ablation table in its two halves."""
