"""What the teacher says, a part of the page of its own: without a teacher nothing else differs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from engine.domain.values import (
    Advice,
    Alternative,
    Candidate,
    Case,
    ChoiceProfile,
    Diagnostics,
    FieldProfile,
)
from engine.search.paired import correlate_ranks
from engine.search.prompts.context import PromptContext
from engine.search.prompts.formatting import number, rough, section, share, table
from engine.search.prompts.programs import rank
from engine.search.prompts.states import define_fields, places
from problems.base import Contract

TITLE = "What the teacher says"

LEARNED = (
    "A learned policy, the teacher, was asked what it prefers in states that the programs visited."
)

TRYING = (
    "The teacher took some actions in states that programs visited, one at a time; after each the "
    "best program so far went on to the end. It prefers what cost least there."
)

FIGURES = (
    "Agreement is the share of states in which it would choose as the program does (chance: blind "
    "choice), value its score of the program's choice (1 its best, 0 its worst), percentile the "
    "rank of that choice."
)

REAL = "Real agreement leaves out of each choice what the program does later to the same effect."

TRIED = (
    "Some of its choices were tried out: taken in the place of the program's in one state, from "
    "which the program went on."
)

CASES = (
    "Below stand, of each program, the mean places of both choices among the candidates of a "
    "state (0 the smallest value, 1 the largest; early/middle/late third of the walk) in the "
    "fields in which they differ most, then cases: states of each third in which the choices "
    "differ{}, with direct rivals and the teacher's scores."
)

ALIKE = ", and one in which they do not"

BRIEFS = (
    "A brief explains how its program deviates from what the teacher prefers, and names the cases "
    "that show it: the programmer sees those of the program, too."
)

REMARKS = {
    "s": "Look for a structural failure that recurs in these disagreements.",
    "p": "Look where the program is locally miscalibrated relative to these preferences.",
}
"""What a teacher's word is for, by operator."""

NEXT = "next best"
"""What the teacher ranks next, in a state without a direct rival."""

DISAGREEMENTS = 3
"""Disagreements that are shown of a program: one of each third of its walk, if there is one."""

FIELDS = 6
"""Fields in which the places of two choices are compared: those in which they differ most."""

APART = 0.05
"""A difference of places below which a field is left out."""

COLUMNS = 16
"""Fields of a case at most."""


def describe(
    programs: Sequence[Candidate],
    revised: Sequence[Candidate],
    contract: Contract,
    background: PromptContext,
    generation: int,
    remark: str = "",
) -> str:
    """The section on the teacher; empty where it said nothing of these programs.

    It has the figures of all `programs`, and the cases of those that are `revised`.
    """
    judged = [(program, d) for program in programs if (d := program.diagnostics) is not None]
    if not judged:
        return ""
    ours = background.wording == "preceptor"
    alone = background.landmarks.teacher if ours else None
    reached = "" if alone is None else f" Left alone it reaches a mean cost of {number(alone)}"
    if reached:
        best = background.best
        reached += "." if best is None else f"; the best program reaches {number(best.cost)}."
    cases = [_show_program(program, generation, agreed=not ours) for program in revised]
    parts = [
        f"{TRYING if background.landmarks.tries else LEARNED} {FIGURES}{reached}",
        REAL if ours and any(_is_apart(d) for _, d in judged) else "",
        TRIED if ours and any(d.advice for _, d in judged) else "",
        "\n".join(f"- {program.id}: {list_diagnostics(d, ours)}" for program, d in judged),
        remark,
        CASES.format("" if ours else ALIKE) if any(cases) else "",
        "" if ours else _define_fields(contract, revised),
        *cases,
    ]
    return section(TITLE, "\n".join(filter(None, parts)))


def _define_fields(contract: Contract, revised: Sequence[Candidate]) -> str:
    """What the numbers in cases are; the prompts of `preceptor` say it in their common part."""
    known = [program.diagnostics for program in revised]
    shown = {name for d in known if d for case in d.cases for name, _ in case.chosen_fields}
    meanings = define_fields(contract, shown)
    return meanings and f"Their fields:\n{meanings}"


def list_diagnostics(d: Diagnostics, full: bool = True) -> str:
    """Agreement beside chance and standard error; value and percentile.

    In `full` also what the paper does not have: real agreement and checked advice.
    """
    facts = [f"agreement {d.agreement:.3f} ± {d.stderr:.3f} (chance {d.chance:.3f})"]
    if d.value is not None and d.percentile is not None:
        facts.append(f"value {d.value:.3f}, percentile {d.percentile:.3f}")
    if full and d.real is not None and _is_apart(d):
        facts.append(f"real agreement {d.real.agreement:.3f} (chance {d.real.chance:.3f})")
    if full and d.advice is not None:
        facts.append(list_advice(d.advice))
    return ", ".join(facts)


def _is_apart(d: Diagnostics) -> bool:
    """Whether real agreement is known, and another than agreement."""
    return d.real is not None and d.real.agreement != d.agreement


def list_advice(advice: Advice) -> str:
    """How many of the teacher's choices that were tried lower the cost, and what they save."""
    return (
        f"of {advice.checked} of its choices tried {advice.helped} lower the cost and "
        f"{advice.harmed} raise it (following them {advice.outcome})"
    )


def relate_agreement(seen: Sequence[Candidate]) -> str:
    """How agreement and cost go together over the better half of the programs seen."""
    ranked = rank(seen)
    known = [c for c in ranked[: (len(ranked) + 1) // 2] if c.agreement is not None]
    found = correlate_ranks([c.cost or 0.0 for c in known], [c.agreement or 0.0 for c in known])
    if found is None:
        return ""
    return (
        f"Rank correlation of agreement with cost over the better half, {len(known)} programs: "
        f"{found:+.2f} (-1: who agrees more costs less; 0: they are unrelated)."
    )


def pick_cases(d: Diagnostics, generation: int, agreed: bool = True) -> list[Case]:
    """The cases of a program that a generation shows: disagreements, then what is `agreed`.

    The first of each third of the walk, others in every generation as far as they reach; where
    the teacher's choices were tried, those that lower the cost alone.
    """
    known = [case for case in d.cases if case.alternatives]
    tried = any(case.costs for case in known)
    apart = [case for case in known if case.chosen != case.preferred]
    apart = [case for case in apart if not tried or (case.gain or 0.0) > 0]
    thirds = [[case for case in apart if min(2, int(3 * case.phase)) == k] for k in range(3)]
    first = [third[generation % len(third)] for third in thirds if third]
    rest = [case for case in apart if not any(case is one for one in first)]
    shown = sorted([*first, *rest][:DISAGREEMENTS], key=lambda case: case.phase)
    alike = [case for case in known if agreed and case.chosen == case.preferred]
    return [*shown, alike[generation % len(alike)]] if alike else shown


def _show_program(program: Candidate, generation: int, agreed: bool) -> str:
    """Where a program's choices lie and the teacher's, and the cases of it."""
    d = program.diagnostics
    if d is None:
        return ""
    cases = pick_cases(d, generation, agreed)
    parts = [_tabulate_places(program, d.profile), _tabulate_cases(program, cases)]
    shown = "\n".join(filter(None, parts))
    return shown and f"### {program.id} and the teacher\n{shown}"


def _tabulate_places(program: Candidate, profile: ChoiceProfile | None) -> str:
    """The mean places of both choices in the fields in which these differ most, if any do."""
    fields = () if profile is None else profile.fields
    differing = (field for field in fields if _differ(field) >= APART)
    apart = sorted(differing, key=_differ, reverse=True)[:FIELDS]
    if not apart:
        return f"places: in no field {APART:g} or more apart" if fields else ""
    rows = [[f.name, places(f, "chosen"), places(f, "preferred")] for f in apart]
    return table([["places", program.id, "teacher"], *rows])


def _differ(field: FieldProfile) -> float:
    """How far the mean places of both choices lie apart in a field, where that is most."""
    gaps = [
        abs(span.chosen - span.preferred)
        for span in field.phases
        if span is not None and span.chosen is not None and span.preferred is not None
    ]
    return max(gaps, default=0.0)


def _tabulate_cases(program: Candidate, cases: Sequence[Case]) -> str:
    """A table for all of a program's cases; fields that differ in none of them are left out."""
    if not cases:
        return ""
    rows = {k: _pick_rows(case) for k, case in enumerate(cases)}
    names = [name for name, _ in cases[0].chosen_fields]
    varying = [
        k
        for k in range(len(names))
        if any(len({row.values[k] for row in shown}) > 1 for shown in rows.values())
    ][:COLUMNS]
    lines = [table([["choice of", "score", *(names[k] for k in varying)]])]
    for k, case in enumerate(cases):
        lines.append(_head(case))
        for row in rows[k]:
            values = (rough(row.values[column]) for column in varying)
            lines.append(table([[_mark(program, case, row), share(row.score), *values]]))
    return "\n".join(lines)


def _head(case: Case) -> str:
    where = (
        f"Instance {case.instance}, decision {case.step}, {100 * case.phase:.0f} % of the way, "
        f"{case.actions} candidates"
    )
    if case.costs is None:
        return f"{where}:"
    own, other = case.costs
    return (
        f"{where}; the teacher's choice, then this program, cost {number(other)} instead of "
        f"{number(own)}:"
    )


def _pick_rows(case: Case) -> list[Alternative]:
    """The program's choice, the teacher's, direct rivals; two rows at least."""
    both = (case.chosen, case.preferred)
    shown = [other for other in case.alternatives if other.action in both or other.rival]
    if len(shown) > 1:
        return shown
    rest = [other for other in case.alternatives if other.action not in both]
    return [*shown, *(replace(other, rival=NEXT) for other in rest[:1])]


def _mark(program: Candidate, case: Case, row: Alternative) -> str:
    """Whose choice an action is, or by what it competes with these."""
    sides = ((program.id, case.chosen), ("teacher", case.preferred))
    return " and ".join(name for name, action in sides if action == row.action) or row.rival


def name_partner(programs: Iterable[Candidate]) -> str:
    """Why the second parent of a fusion was drawn by its agreement."""
    first, second = [*programs][:2]
    return f"{first.id} was drawn by its cost, {second.id} by its agreement with the teacher."
