"""States as tables, and their fields: what they mean, how large they are, where choices lie.

Which states are shown depends on rollouts and costs alone, never on a teacher.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from engine.domain.values import Candidate, ChoiceProfile, FieldProfile, Parting, Scene
from engine.search.prompts.context import PromptContext
from engine.search.prompts.formatting import number, rough, section, share, table
from engine.search.prompts.programs import rank
from problems.base import Contract

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


FIELDS = 20
"""Fields of the table at most."""

EMPTY = "-"


def define_fields(contract: Contract, names: Collection[str] | None = None) -> str:
    """What the numbers in tables of states mean that are no fields of an argument.

    Of all that there are, or of those `names` alone.
    """
    lines = []
    for field in contract.shown:
        if names is not None and field.name not in names:
            continue
        unit = f" ({field.unit})" if field.unit else ""
        lines.append(f"- {field.name}{unit}: {field.meaning}")
    return "\n".join(lines)


def tabulate_fields(candidate: Candidate, seen: Sequence[Candidate]) -> str:
    """One line a field: its sizes, where the choices of a program lie and those of the best."""
    profile = profile_of(candidate)
    if profile is None:
        return ""
    best = next((c for c in rank(seen) if profile_of(c) is not None), candidate)
    compared = best.id != candidate.id
    head = ["field", "spread in a state", f"places of {candidate.id}"]
    head += [f"of {best.id}"] * compared
    rows = [head]
    for field in profile.fields[:FIELDS]:
        if not any(span and span.spread for span in field.phases):
            continue
        row = [field.name]
        row.append("/".join(rough(span.spread) if span else EMPTY for span in field.phases))
        row.append(places(field, "chosen"))
        if compared:
            row.append(places(_field(best, field.name), "chosen"))
        rows.append(row)
    return table(rows)


def profile_of(candidate: Candidate) -> ChoiceProfile | None:
    """What the facts of a program say of its choices."""
    return None if candidate.facts is None else candidate.facts.profile


def places(field: FieldProfile | None, whose: str) -> str:
    """Mean places early, middle and late; `whose` is "chosen" or "preferred"."""
    spans = () if field is None else field.phases
    return "/".join(share(getattr(span, whose)) if span else EMPTY for span in spans)


def _field(candidate: Candidate, name: str) -> FieldProfile | None:
    profile = profile_of(candidate)
    fields = () if profile is None else profile.fields
    return next((field for field in fields if field.name == name), None)
