"""Fields: what they mean, how large they are, where choices lie."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from engine.domain.values import Candidate, ChoiceProfile, FieldProfile
from engine.search.prompts.formatting import rough, share, table
from engine.search.prompts.programs import rank
from problems.base import Contract

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
