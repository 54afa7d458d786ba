"""States as tables: where a program parts from a better one.

Which states are shown depends on rollouts and costs alone, never on a teacher.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.domain.values import Candidate, Parting, Scene
from engine.search.prompts.context import PromptContext
from engine.search.prompts.formatting import number, rough, section, table

COLUMNS = 16
"""Fields of a table at most."""

EARLY = 0.1
"""Share of a walk before which nothing that two programs do tells much of what decides."""


def show_partings(programs: Iterable[Candidate], background: PromptContext) -> str:
    """The section on the states in which programs part from better ones."""
    found = ((program, background.parting(program)) for program in programs)
    tables = [
        tabulate_parting(program, *parting)
        for program, parting in found
        if parting is not None and parting[1].scene.phase >= EARLY
    ]
    return section("States", "\n\n".join(tables))


def tabulate_parting(candidate: Candidate, other: str, parting: Parting) -> str:
    """The state in which a program first decides otherwise than a better one, to its loss."""
    scene = parting.scene
    own, better = parting.costs
    title = (
        f"### Where {candidate.id} parts from {other}: instance {scene.instance}, decision "
        f"{scene.step}, {100 * scene.phase:.0f} % of the way, {len(scene.rows)} of "
        f"{scene.actions} candidates\n"
        f"Up to here both did the same; {candidate.id} ends at {number(own)}, {other} at "
        f"{number(better)}. "
    )
    return title + _rows(scene, {scene.chosen: candidate.id, parting.other: other})


def _rows(scene: Scene, marks: Mapping[int, str]) -> str:
    """What all actions share, then a line for each, marked with who chose it."""
    columns = list(zip(*(row.values for row in scene.rows), strict=True))
    varying = [k for k, column in enumerate(columns) if len(set(column)) > 1][:COLUMNS]
    fixed = [k for k, column in enumerate(columns) if len(set(column)) == 1][:COLUMNS]
    rows = [["choice of", *(scene.names[k] for k in varying)]]
    for row in scene.rows:
        values = (rough(row.values[k]) for k in varying)
        rows.append([marks.get(row.action, ""), *values])
    same = ", ".join(f"{scene.names[k]} {rough(columns[k][0])}" for k in fixed)
    shared = f"The same for all: {same}." if same else ""
    return f"{shared}\n{table(rows)}"
