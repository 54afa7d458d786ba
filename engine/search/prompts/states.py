"""States as tables: where a program parts from a better one, and where it left its own habits.

Which states are shown depends on rollouts and costs alone, never on a teacher.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from engine.search.prompts.formatting import number, rough, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.domain.values import Candidate, Parting, Scene

COLUMNS = 16
"""Fields of a table at most."""

TELLING = 3
"""States are drawn from this many times as many as are shown, the costliest instances first."""


def tabulate_parting(candidate: Candidate, other: str, parting: Parting) -> str:
    """The state in which a program first decides otherwise than a better one, to its loss."""
    scene = parting.scene
    own, better = parting.costs
    title = (
        f"### Where {candidate.id} parts from {other}: {_place(scene)}\n"
        f"Up to here both did the same; {candidate.id} ends at {number(own)}, {other} at "
        f"{number(better)}. "
    )
    return title + _rows(scene, {scene.chosen: candidate.id, parting.other: other})


def pick_scenes(
    candidate: Candidate, others: Sequence[Candidate], few: int, draw: int
) -> list[int]:
    """Which of a program's scenes are shown, by their number in its facts.

    Those of instances where others do better come first; `draw` decides between scenes that tell
    as much, so that not all questions show the same.
    """
    scenes = () if candidate.facts is None else candidate.facts.scenes
    losses = _losses(candidate, others)
    order = sorted(range(len(scenes)), key=lambda k: -losses.get(scenes[k].instance, 0.0))
    order = order[: TELLING * few]
    random.Random(f"{draw} {candidate.id}").shuffle(order)
    return sorted(_spread(order, scenes, few), key=lambda k: scenes[k].phase)


def tabulate_scene(candidate: Candidate, scene: Scene, others: Sequence[Candidate]) -> str:
    """A state in which a program chose least as it usually does."""
    costs = compare_on(candidate, scene.instance, others)
    title = f"### An unusual choice of {candidate.id}: {_place(scene)}\n{costs}"
    return title + _rows(scene, {scene.chosen: candidate.id})


def name_scene(scene: Scene) -> str:
    """How a table of a state is referred to."""
    return f"instance {scene.instance}, decision {scene.step}"


def _place(scene: Scene) -> str:
    return (
        f"{name_scene(scene)}, {100 * scene.phase:.0f} % of the way, {len(scene.rows)} of "
        f"{scene.actions} candidates"
    )


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


def _losses(candidate: Candidate, others: Sequence[Candidate]) -> dict[int, float]:
    """By instance: what the program's cost lies above the mean cost of the others."""
    columns = [o.costs for o in others if len(o.costs) == len(candidate.costs)]
    losses = {}
    for instance, own in enumerate(candidate.costs):
        known = [cost for column in columns if (cost := column[instance]) is not None]
        if own is not None and known:
            losses[instance] = own - sum(known) / len(known)
    return losses


def _spread(order: Sequence[int], scenes: Sequence[Scene], few: int) -> list[int]:
    """The first of each third of the rollout, then whatever comes first."""
    thirds: dict[int, int] = {}
    for k in order:
        thirds.setdefault(int(3 * scenes[k].phase), k)
    first = list(thirds.values())
    return [*first, *(k for k in order if k not in first)][:few]


def compare_on(candidate: Candidate, instance: int, others: Sequence[Candidate]) -> str:
    """What the program and the best of the others reached on an instance."""
    rivals = [
        (cost, other.id)
        for other in others
        if instance < len(other.costs) and (cost := other.costs[instance]) is not None
    ]
    if not rivals or instance >= len(candidate.costs):
        return ""
    cost, name = min(rivals)
    own = number(candidate.costs[instance])
    return (
        f"Cost of {candidate.id} on this instance {own}, of the best other program, {name}, "
        f"{number(cost)}. "
    )
