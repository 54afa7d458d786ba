"""Sizes: of the design set, of every field, and which choices go with low cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.search.paired import correlate_ranks
from engine.search.prompts.formatting import number, rough, share, table
from engine.search.prompts.programs import LEADERS, rank

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.values import Candidate, ChoiceProfile, FieldProfile, Span

FIELDS = 20
"""Fields of the table at most."""

EVIDENCE = 0.5
"""A rank correlation over a dozen programs that is nearer to 0 is chance as often as not."""

EMPTY = "-"


def summarise_design(
    candidate: Candidate, calls: str, seconds: float, reference: float | None
) -> str:
    """How large the design instances are, how much a program may compute, what a lower end is.

    `calls` is "score" when a program is called once a candidate, "action" when once a decision.
    """
    profile = None if candidate.diagnostics is None else candidate.diagnostics.profile
    lines = []
    if profile is not None and candidate.costs:
        count = len(candidate.costs)
        total = count * profile.steps * (profile.actions if calls == "score" else 1)
        lines.append(
            f"{count} instances, {rough(profile.steps)} decisions each among at most "
            f"{profile.actions} candidates each. A program has {number(seconds)} CPU seconds "
            f"for all of them: about {1000 * seconds / total:.2g} ms a call."
        )
    if reference is not None:
        lines.append(
            f"Mean best known cost: {number(reference)}, the lower end of the scale, found by "
            "other means and out of reach for a program."
        )
    return "\n".join(lines)


def tabulate_fields(candidate: Candidate, seen: Sequence[Candidate]) -> str:
    """One line a field: its sizes by phase, where choices lie, how that goes with cost."""
    profile = _profile(candidate)
    if profile is None:
        return ""
    best = next((c for c in rank(seen) if _profile(c) is not None), candidate)
    compared = best.id != candidate.id
    trends = _trends(seen)
    head = ["field", "range early", "middle", "late", "spread in a state", candidate.id]
    head += [best.id] * compared + ["teacher"] + ["cost"] * bool(trends)
    rows = [head]
    for field in profile.fields[:FIELDS]:
        if not any(span and span.spread for span in field.phases):
            continue
        row = [field.name, *(_range(span) for span in field.phases)]
        row.append("/".join(rough(span.spread) if span else EMPTY for span in field.phases))
        row.append(_places(field, "chosen"))
        if compared:
            row.append(_places(_field(best, field.name), "chosen"))
        row.append(_places(field, "preferred"))
        if trends:
            row.append(_trend(trends.get(field.name)))
        rows.append(row)
    return table(rows)


def explain_fields(trends: bool) -> str:
    """How to read the table."""
    text = (
        "Range over all candidates in each third of the rollout, and the mean difference between "
        "the largest and the smallest in one state (early/middle/late). Then, by thirds, the mean "
        "place of the choice among the candidates of its state: 0 the smallest value, 1 the "
        "largest."
    )
    if trends:
        text += (
            " Last: rank correlation of that place with the cost over the best programs seen, "
            f"{LEADERS} at most, where it reaches {EVIDENCE}; below 0: those that choose larger "
            "values cost less."
        )
    return text


def _trends(seen: Sequence[Candidate]) -> dict[str, float]:
    """By field: how the mean place of the choice goes with cost, over the best programs seen."""
    known = [(c.cost or 0.0, p) for c in rank(seen) if (p := _profile(c)) is not None][:LEADERS]
    trends = {}
    for name in dict.fromkeys(field.name for _, p in known for field in p.fields):
        pairs = [
            (cost, place)
            for cost, p in known
            for field in p.fields
            if field.name == name and (place := _mean_place(field)) is not None
        ]
        found = correlate_ranks([cost for cost, _ in pairs], [place for _, place in pairs])
        if found is not None:
            trends[name] = found
    return trends


def _profile(candidate: Candidate) -> ChoiceProfile | None:
    return None if candidate.diagnostics is None else candidate.diagnostics.profile


def _field(candidate: Candidate, name: str) -> FieldProfile | None:
    profile = _profile(candidate)
    fields = () if profile is None else profile.fields
    return next((field for field in fields if field.name == name), None)


def _mean_place(field: FieldProfile) -> float | None:
    places = [span.chosen for span in field.phases if span and span.chosen is not None]
    return sum(places) / len(places) if places else None


def _places(field: FieldProfile | None, whose: str) -> str:
    spans = () if field is None else field.phases
    return "/".join(share(getattr(span, whose)) if span else EMPTY for span in spans)


def _trend(found: float | None) -> str:
    return EMPTY if found is None or abs(found) < EVIDENCE else f"{found:+.2f}"


def _range(span: Span | None) -> str:
    return EMPTY if span is None else f"{rough(span.low)}..{rough(span.high)}"
