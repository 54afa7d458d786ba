"""Fields: what they mean, how large they are, and which choices go with low cost."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from engine.search.paired import correlate_ranks
from engine.search.prompts.formatting import rough, share, table
from engine.search.prompts.programs import once_a_state, rank

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.values import Candidate, ChoiceProfile, FieldProfile
    from problems.base import Contract

FIELDS = 20
"""Fields of the table at most."""

CLEAR = 2.0
"""A correlation is shown from so many of its standard errors on, were there nothing behind it."""

EMPTY = "-"


def define_fields(contract: Contract) -> str:
    """What the numbers in tables of states mean that are no fields of an argument."""
    lines = []
    for field in contract.shown:
        unit = f" ({field.unit})" if field.unit else ""
        lines.append(f"- {field.name}{unit}: {field.meaning}")
    return "\n".join(lines)


def tabulate_fields(candidate: Candidate, seen: Sequence[Candidate]) -> str:
    """One line a field: its sizes, where choices lie, how that goes with cost."""
    profile = profile_of(candidate)
    if profile is None:
        return ""
    best = next((c for c in rank(seen) if profile_of(c) is not None), candidate)
    compared = best.id != candidate.id
    trends, count = find_trends(seen)
    head = ["field", "spread in a state", f"places of {candidate.id}"]
    head += [f"of {best.id}"] * compared + [f"cost ({count} programs)"] * bool(trends)
    rows = [head]
    for field in profile.fields[:FIELDS]:
        if not any(span and span.spread for span in field.phases):
            continue
        row = [field.name]
        row.append("/".join(rough(span.spread) if span else EMPTY for span in field.phases))
        row.append(places(field, "chosen"))
        if compared:
            row.append(places(_field(best, field.name), "chosen"))
        if trends:
            row.append(_trend(trends.get(field.name)))
        rows.append(row)
    return table(rows)


@once_a_state
def find_trends(seen: Sequence[Candidate]) -> tuple[dict[str, float], int]:
    """By field how the mean place of the choice goes with cost, where that is no chance.

    Over all programs seen that have a cost, as many as are counted: over the best of them alone
    a correlation shrinks, and may turn round.
    """
    known = [(c.cost or 0.0, p) for c in rank(seen) if (p := profile_of(c)) is not None]
    found_in: dict[str, list[tuple[float, float]]] = {}
    for cost, profile in known:
        for field in profile.fields:
            if (place := field.mean_place) is not None:
                found_in.setdefault(field.name, []).append((cost, place))
    trends = {}
    for name, pairs in found_in.items():
        found = correlate_ranks([cost for cost, _ in pairs], [place for _, place in pairs])
        if found is not None and abs(found) * math.sqrt(len(pairs) - 1) >= CLEAR:
            trends[name] = found
    return trends, len(known)


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


def _trend(found: float | None) -> str:
    return EMPTY if found is None else f"{found:+.2f}"
