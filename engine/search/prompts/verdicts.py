"""What the teacher says, a part of the page of its own: without a teacher nothing else differs."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from engine.search.paired import correlate_ranks
from engine.search.prompts.field_ranges import FIELDS, places
from engine.search.prompts.formatting import number, rough, section, share, table
from engine.search.prompts.programs import rank
from engine.search.prompts.states import COLUMNS, TELLING, compare_on, name_scene

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.values import (
        Advice,
        Candidate,
        Case,
        Diagnostics,
        Landmarks,
        Opinion,
        Scene,
    )

TITLE = "What the teacher says"

LEARNED = (
    "A learned policy, the teacher, was asked what it prefers in states that programs visited. It "
    "is no oracle: lower cost is the aim."
)

TRYING = (
    "The teacher took some actions in states that programs visited, one at a time; after each the "
    "best program so far went on to the end. It prefers what cost least there."
)

FIGURES = (
    "Agreement is the share of states in which it would "
    "choose as the program does (chance: blind choice), value its score of the program's choice "
    "(1 its best), percentile the rank of that."
)

REAL = (
    "Real agreement, in the program's own states, leaves out of each choice what the program does "
    "later to the same effect."
)

TRIED = (
    "Some of its choices were tried out: each was taken in the place of the program's in one "
    "state, and the program went on from there."
)

WEIGH = (
    "A brief follows it only where that would plausibly lower the cost, and says in which phase "
    "and by which quantity."
)

DOUBT = -0.3
"""A rank correlation above this is no reason to follow the teacher."""

ROWS = 6
"""Candidates of a state that are shown."""


def tell(
    programs: Sequence[Candidate],
    seen: Sequence[Candidate],
    scenes: Sequence[tuple[Candidate, int]],
    landmarks: Landmarks,
    remark: str = "",
    disagreement: str = "",
    by_field: bool = True,
) -> str:
    """The section on the teacher; empty where it said nothing of these programs.

    `scenes` are the states shown above, by program and number; `disagreement` is another. The
    `landmarks` tell what the teacher is, and what it reaches itself. What it prefers is told
    `by_field`, or not.
    """
    judged = [(program, d) for program in programs if (d := program.diagnostics) is not None]
    if not judged:
        return ""
    alone = landmarks.teacher
    reached = "" if alone is None else f" Left alone it reaches a mean cost of {number(alone)}."
    parts = [
        f"{TRYING if landmarks.tries else LEARNED} {FIGURES}{reached}",
        REAL if any(d.real for _, d in judged) else "",
        "\n".join(f"- {program.id}: {list_diagnostics(d)}" for program, d in judged),
        TRIED if any(d.advice for _, d in judged) else "",
        remark,
        relate_agreement(seen),
        _list_places(*judged[0]) if by_field else "",
        *_list_opinions(scenes),
        disagreement,
    ]
    return section(TITLE, "\n".join(filter(None, parts)))


def list_diagnostics(d: Diagnostics) -> str:
    """Agreement beside chance and standard error; what else is known."""
    facts = [f"agreement {d.agreement:.3f} ± {d.stderr:.3f} (chance {d.chance:.3f})"]
    if d.value is not None and d.percentile is not None:
        facts.append(f"value {d.value:.3f}, percentile {d.percentile:.3f}")
    if d.real is not None:
        real = d.real
        facts.append(
            f"real agreement {real.agreement:.3f} ± {real.stderr:.3f} (chance {real.chance:.3f})"
        )
    if d.advice is not None:
        facts.append(list_advice(d.advice))
    return ", ".join(facts)


def list_advice(advice: Advice) -> str:
    """How many of the teacher's choices that were tried lower the cost, and the mean saving."""
    return (
        f"of {advice.checked} of its choices tried {advice.helped} lower the cost, "
        f"{advice.harmed} raise it, {advice.unchanged} change nothing "
        f"(mean saving {format_saving(advice)})"
    )


def format_saving(advice: Advice) -> str:
    """The mean share of the cost that was saved, with its standard error, in per cent."""
    error = "" if advice.stderr is None else f" ± {100 * advice.stderr:.3f}"
    return f"{100 * advice.gain:+.3f}{error} %"


def relate_agreement(seen: Sequence[Candidate]) -> str:
    """How agreement and cost go together over all programs seen."""
    known = [c for c in rank(seen) if c.agreement is not None]
    found = correlate_ranks([c.cost or 0.0 for c in known], [c.agreement or 0.0 for c in known])
    if found is None:
        return ""
    really = _relate_real(known)
    text = (
        f"Rank correlation of agreement with cost over the {len(known)} programs seen: "
        f"{found:+.2f}{really} (-1: who agrees more costs less; 0: they are unrelated)."
    )
    if found > DOUBT:
        text += " So agreeing for its own sake does not lower the cost."
    return text


def _relate_real(known: Sequence[Candidate]) -> str:
    """The same of real agreement; empty where it is not known of each."""
    values = [None if c.diagnostics is None else c.diagnostics.signal("real") for c in known]
    real = [value for value in values if value is not None]
    costs = [c.cost or 0.0 for c in known]
    found = correlate_ranks(costs, real) if len(real) == len(costs) else None
    return "" if found is None else f", of real agreement {found:+.2f}"


def _list_places(candidate: Candidate, d: Diagnostics) -> str:
    """Where the teacher's choices lie among a state's candidates, field by field."""
    profile = d.profile
    if profile is None:
        return ""
    found = [
        f"{field.name} {places(field, 'preferred')}"
        for field in profile.fields[:FIELDS]
        if any(span and span.spread for span in field.phases)
    ]
    return f"Mean places of its choices in the states of {candidate.id}: {', '.join(found)}."


def _list_opinions(scenes: Sequence[tuple[Candidate, int]]) -> list[str]:
    lines = []
    for candidate, k in scenes:
        opinions = () if candidate.diagnostics is None else candidate.diagnostics.opinions
        if candidate.facts is not None and k < len(opinions):
            lines.append(_state_opinion(candidate, candidate.facts.scenes[k], opinions[k]))
    return lines


def _state_opinion(candidate: Candidate, scene: Scene, opinion: Opinion) -> str:
    """What it prefers in a state that is shown, by the quantities that tell actions apart."""
    where = f"- {candidate.id}, {name_scene(scene)}:"
    if opinion.preferred == scene.chosen:
        return f"{where} it prefers the program's choice."
    own = next(row.values for row in scene.rows if row.action == scene.chosen)
    wanted = [
        f"{name} {rough(value)}"
        for name, value, chosen in zip(scene.names, opinion.values, own, strict=True)
        if value != chosen
    ]
    scores = dict(zip((row.action for row in scene.rows), opinion.scores, strict=True))
    score = scores[scene.chosen]
    rated = "" if score is None else f"; it scores the program's choice {share(score)}"
    return f"{where} it prefers {', '.join(wanted[:COLUMNS])}{rated}."


def tabulate_disagreement(candidate: Candidate, others: Sequence[Candidate], draw: int) -> str:
    """A state in which the teacher disagrees much, drawn among the first few; empty for none.

    Where its choices were tried, one that lowers the cost.
    """
    known = () if candidate.diagnostics is None else candidate.diagnostics.cases
    tried = any(case.costs for case in known)
    cases = [c for c in known if c.alternatives and (not tried or (c.gain or 0.0) > 0)][:TELLING]
    if not cases:
        return ""
    case = random.Random(f"{draw} {candidate.id}").choice(cases)
    return _tabulate_case(candidate, case, others)


def _tabulate_case(candidate: Candidate, case: Case, others: Sequence[Candidate]) -> str:
    names = [name for name, _ in case.chosen_fields]
    both = (case.chosen, case.preferred)
    rest = [other for other in case.alternatives if other.action not in both]
    kept = {*both, *(other.action for other in rest[: ROWS - 2])}
    shown = [other for other in case.alternatives if other.action in kept]
    columns = list(zip(*(other.values for other in shown), strict=True))
    varying = [k for k, column in enumerate(columns) if len(set(column)) > 1][:COLUMNS]
    rows = [["choice of", "score", *(names[k] for k in varying)]]
    for other in shown:
        marker = {case.chosen: candidate.id, case.preferred: "teacher"}.get(other.action, "")
        values = (rough(other.values[k]) for k in varying)
        rows.append([marker, share(other.score), *values])
    return (
        f"### Where it disagrees with {candidate.id}: instance {case.instance}, decision "
        f"{case.step}, {100 * case.phase:.0f} % of the way, {len(shown)} of {case.actions} "
        f"candidates\n{compare_on(candidate, case.instance, others)}{_outcome(case)}".rstrip()
        + f"\n{table(rows)}"
    )


def _outcome(case: Case) -> str:
    """What comes of the teacher's choice, as far as that is known."""
    if case.costs is None:
        return "The program does the same later, to the same effect." if case.later else ""
    own, other = case.costs
    return f"The teacher's choice, then this program: {number(other)} instead of {number(own)}."
