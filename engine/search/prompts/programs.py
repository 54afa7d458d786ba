"""Programs as prompts show them: idea, code, cost, the teacher's figures, their rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.search.paired import compare, correlate_ranks
from engine.search.prompts.formatting import clip, cut, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.values import Candidate, Diagnostics

IDEA = 220
"""Characters of an idea where many are listed."""

DOUBT = -0.3
"""A rank correlation above this is no reason to follow the teacher."""

FEW = 5
"""The best programs, of which a free slot sees the ideas."""

LEADER = 2_500
"""Characters of the best program's code where another one is revised."""

LEADERS = 12
"""The best programs seen, over which correlations are taken: what separates good from better."""


def show_program(candidate: Candidate, most: int = 20_000) -> str:
    """A program's idea and its code, of `most` characters about."""
    program = candidate.program
    code = clip(program.code, most)
    return f"### Program {candidate.id}\nIdea: {program.idea}\n```python\n{code}```"


def show_with_results(candidate: Candidate, most: int = 20_000) -> str:
    """A program with its cost and what the teacher says of it."""
    facts = [f"mean cost on the design set {number(candidate.cost)} (lower is better)"]
    if candidate.diagnostics is not None:
        facts.append(list_diagnostics(candidate.diagnostics))
    return f"{show_program(candidate, most)}\n{'; '.join(facts)}."


def list_diagnostics(d: Diagnostics) -> str:
    """Agreement beside chance and standard error, value and percentile where there are any."""
    facts = [
        f"agreement with the teacher {d.agreement:.3f} ± {d.stderr:.3f} (chance {d.chance:.3f})"
    ]
    if d.value is not None and d.percentile is not None:
        facts.append(f"teacher value {d.value:.3f}, percentile {d.percentile:.3f}")
    return ", ".join(facts)


def cost_difference(new: Candidate, old: Candidate) -> str:
    """The paired difference of two programs' costs, in words; empty where one is incomplete."""
    found = compare(new.costs, old.costs)
    if found is None:
        return ""
    return (
        f"{found.mean:+.4g} ± {found.stderr:.2g} against {old.id}, "
        f"better on {found.better} of {found.count}"
    )


def rank(seen: Sequence[Candidate]) -> list[Candidate]:
    """The programs with a cost, best first, the older of equals first."""
    return sorted(
        (c for c in seen if c.cost is not None and c.failure is None),
        key=lambda c: (c.cost, c.generation, c.slot),
    )


def compare_with_best(parents: Sequence[Candidate], seen: Sequence[Candidate]) -> str:
    """Where the first parent stands among all that the search has seen; the best one in full."""
    candidate = parents[0]
    ranked = rank(seen)
    if candidate not in ranked or len(ranked) < 2:
        return ""
    best = ranked[0]
    if best is candidate:
        second = ranked[1]
        return (
            f"{candidate.id} is the best of {len(ranked)} programs so far; the next, {second.id}, "
            f"costs {number(second.cost)} ({cost_difference(second, candidate)})."
        )
    place = ranked.index(candidate) + 1
    text = (
        f"{candidate.id} is number {place} of {len(ranked)} programs so far. The best is "
        f"{best.id}, cost {number(best.cost)} ({cost_difference(best, candidate)} instances)"
    )
    if best in parents:
        return f"{text}."
    code = show_program(best, LEADER)
    return f"{text}; its mechanisms and constants are yours to take over:\n\n{code}"


def list_leaders(seen: Sequence[Candidate], reference: float | None) -> str:
    """The best programs seen by cost and idea, without their code; what is best known."""
    known = f"Best known: {number(reference)}.\n" if reference is not None else ""
    lines = (f"- cost {number(c.cost)}: {cut(c.program.idea, IDEA)}" for c in rank(seen)[:FEW])
    return known + "\n".join(lines)


def list_population(population: Sequence[Candidate]) -> str:
    """One line a program: operator, cost, difference to the best, the teacher's figures."""
    best = min(population, key=lambda c: float("inf") if c.cost is None else c.cost)
    lines = []
    for candidate in population:
        facts = [f"cost {number(candidate.cost)}"]
        if candidate is not best and (gap := cost_difference(candidate, best)):
            facts.append(gap)
        if candidate.diagnostics is not None:
            facts.append(list_diagnostics(candidate.diagnostics))
        lines.append(f"- {candidate.id} ({candidate.operator}): {', '.join(facts)}")
    return "\n".join(lines)


def relate_agreement(seen: Sequence[Candidate]) -> str:
    """How agreement and cost go together, over all programs seen and over the best of them."""
    known = [c for c in rank(seen) if c.agreement is not None]
    whole = _correlate(known)
    best = _correlate(known[:LEADERS])
    if whole is None:
        return ""
    text = (
        f"Rank correlation of agreement with cost over the {len(known)} programs seen: "
        f"{whole:+.2f}"
    )
    if len(known) > LEADERS and best is not None:
        text += f", over the best {LEADERS}: {best:+.2f}"
    text += " (-1: who agrees more costs less; 0: agreeing and cost are unrelated)."
    if (whole if best is None else best) > DOUBT:
        text += " So agreeing for its own sake does not lower the cost now."
    return text


def _correlate(known: Sequence[Candidate]) -> float | None:
    return correlate_ranks([c.cost or 0.0 for c in known], [c.agreement or 0.0 for c in known])
