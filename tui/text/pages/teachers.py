"""Teachers and their figures, as text and as JSON."""

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
    """A line a teacher and set that it was measured on; nothing known of it is a dash."""
    rows = [
        (name, _problem(name, header) or NOTHING, _weights(name, header), set_name, cost)
        for name, header in found.items()
        for set_name, cost in _figures(header)
    ]
    return table(HEAD, rows)


def page_figures(name: str, figures: Sequence[Figure]) -> str:
    """Recorded and found, a line a set."""
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


def _problem(name: str, header: Header | None) -> str | None:
    return header.problem if header else teachers.trained().get(name)


def _weights(name: str, header: Header | None) -> str:
    """Where the weights lie: `shipped`, or the user's `own` in any folder, or `none`."""
    if header is None:
        return "none"
    file = header_files().get(name)
    shipped = file is not None and file.parent == SHIPPED and read_header(file) == header
    return "shipped" if shipped else "own"
