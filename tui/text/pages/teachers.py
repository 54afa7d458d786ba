"""Teachers: their weights and the figures they were measured at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import teachers
from engine.domain.names import NOTHING
from teachers.weights import SHIPPED, header_files, read_header
from tui.text.formatting import number, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from teachers.verify import Figure
    from teachers.weights import Header

EQUAL = {True: "yes", False: "NO", None: "set not imported"}
HEAD = ("teacher", "problem", "weights", "set", "mean cost")


def page_teachers(found: Mapping[str, Header | None]) -> str:
    """A line for each teacher and set that it was measured on; a dash for what is unknown."""
    rows = [
        (name, problem_of(name, header) or NOTHING, weights_of(name, header), set_name, cost)
        for name, header in found.items()
        for set_name, cost in _figures(header)
    ]
    return table(HEAD, rows)


def page_figures(name: str, figures: Sequence[Figure]) -> str:
    """Recorded and found, a line for each set."""
    if not figures:
        return f"{name}: weights intact, no figure recorded"
    rows = [
        (one.instances, number(one.recorded), number(one.found), EQUAL[one.equal])
        for one in figures
    ]
    return f"{name}\n{table(('set', 'recorded', 'found', 'equal'), rows)}"


def _figures(header: Header | None) -> list[tuple[str, str]]:
    if header is None or not header.measured:
        return [(NOTHING, NOTHING)]
    return [(set_name, number(cost)) for set_name, cost in header.measured.items()]


def problem_of(name: str, header: Header | None) -> str | None:
    """The problem that a teacher is for, None for an unknown one without weights."""
    return header.problem if header else (teachers.trained() | teachers.EXACT).get(name)


def weights_of(name: str, header: Header | None) -> str:
    """`shipped` weights, the user's `own` in any folder, or `none`."""
    if header is None:
        return "none"
    file = header_files().get(name)
    shipped = file is not None and file.parent == SHIPPED and read_header(file) == header
    return "shipped" if shipped else "own"
