"""States as tables: all that a program could have chosen from, with both choices marked."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from engine.search.prompts.formatting import number, rough, share, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.values import Candidate, Case

COLUMNS = 16
"""Fields of a table at most."""

TELLING = 3
"""States are drawn from this many times as many as are shown, the costliest instances first."""


def tabulate_states(candidate: Candidate, others: Sequence[Candidate], few: int, draw: int) -> str:
    """Some disagreements of a program in full, from instances where others do better.

    `draw` decides between states that tell as much, so that not all questions show the same.
    """
    known = [] if candidate.diagnostics is None else candidate.diagnostics.cases
    cases = [case for case in known if case.alternatives]
    losses = _losses(candidate, others)
    cases.sort(key=lambda case: -losses.get(case.instance, 0.0))
    cases = cases[: TELLING * few]
    random.Random(f"{draw} {candidate.id}").shuffle(cases)
    shown = sorted(_spread(cases, few), key=lambda case: case.phase)
    return "\n\n".join(_tabulate(candidate, case, others) for case in shown)


def _losses(candidate: Candidate, others: Sequence[Candidate]) -> dict[int, float]:
    """By instance: what the program's cost lies above the mean cost of the others."""
    columns = [o.costs for o in others if len(o.costs) == len(candidate.costs)]
    losses = {}
    for instance, own in enumerate(candidate.costs):
        known = [cost for column in columns if (cost := column[instance]) is not None]
        if own is not None and known:
            losses[instance] = own - sum(known) / len(known)
    return losses


def _spread(cases: Sequence[Case], few: int) -> list[Case]:
    """The first of each third of the rollout, then whatever comes first."""
    thirds: dict[int, Case] = {}
    for case in cases:
        thirds.setdefault(int(3 * case.phase), case)
    first = list(thirds.values())
    return [*first, *(case for case in cases if case not in first)][:few]


def _tabulate(candidate: Candidate, case: Case, others: Sequence[Candidate]) -> str:
    names = [name for name, _ in case.chosen_fields]
    columns = list(zip(*(other.values for other in case.alternatives), strict=True))
    varying = [k for k, column in enumerate(columns) if len(set(column)) > 1][:COLUMNS]
    fixed = [k for k in range(len(names)) if len(set(columns[k])) == 1][:COLUMNS]
    rows = [["choice", "teacher", *(names[k] for k in varying)]]
    for other in case.alternatives:
        marker = {case.chosen: "PROGRAM", case.preferred: "TEACHER"}.get(other.action, "")
        values = (rough(other.values[k]) for k in varying)
        rows.append([marker, share(other.score), *values])
    same = ", ".join(f"{names[k]} {number(columns[k][0])}" for k in fixed)
    return "\n".join(
        [
            f"### {candidate.id}, instance {case.instance}, decision {case.step}, "
            f"{100 * case.phase:.0f} % of the way, {len(case.alternatives)} of {case.actions} "
            "candidates",
            _compare_costs(candidate, case, others) + (same and f"The same for all: {same}."),
            table(rows),
        ]
    )


def _compare_costs(candidate: Candidate, case: Case, others: Sequence[Candidate]) -> str:
    """What the program and the best of the others reached on the instance of a case."""
    rivals = [
        (cost, other.id)
        for other in others
        if case.instance < len(other.costs) and (cost := other.costs[case.instance]) is not None
    ]
    if not rivals or case.instance >= len(candidate.costs):
        return ""
    cost, name = min(rivals)
    own = number(candidate.costs[case.instance])
    return (
        f"Cost of {candidate.id} on this instance {own}, of the best other program, {name}, "
        f"{number(cost)}. "
    )
