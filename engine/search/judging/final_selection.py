"""The winner of a run: the survivors near the best, measured once more on other instances.

Whoever is best of many on the instances that all were chosen by owes part of that to these
instances. So the last choice is made on a set that no generation has seen.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.domain.concurrency import together
from engine.domain.values import Candidate
from engine.search.environment import Environment
from engine.search.paired import compare
from engine.search.selection import by_cost, lowest_cost

NEAR = 2.0
"""Paired standard errors on the design set within which a survivor may win."""


async def choose_winner(environment: Environment, population: Sequence[Candidate]) -> Candidate:
    """The finalist of lowest cost on the selection set; the method's own winner without a set.

    The measurements are recorded, so that a resumed run takes none twice. Finalists that fail
    there, all but the first, cannot win.
    """
    first = environment.method.winner(population, environment.settings)
    if not environment.selects:
        return first
    finalists = find_finalists(environment, first, population)
    measured = await together(environment.measure(finalist) for finalist in finalists)
    ranked = [
        ((evaluation.cost, place), finalist)
        for place, (finalist, evaluation) in enumerate(zip(finalists, measured, strict=True))
        if evaluation.cost is not None
    ]
    winner = min(ranked, key=lambda one: one[0])[1] if ranked else first
    environment.choose(finalists, winner)
    return winner


def find_finalists(
    environment: Environment, first: Candidate, population: Sequence[Candidate]
) -> tuple[Candidate, ...]:
    """Those within `NEAR` standard errors of the first, by cost, the first before all.

    A method that returns something else than the best by cost keeps its own winner.
    """
    if environment.method.winner is not lowest_cost:
        return (first,)
    others = [c for c in population if c.id != first.id and _is_near(c, first)]
    return (first, *sorted(others, key=by_cost(environment.settings.align)))


def _is_near(candidate: Candidate, first: Candidate) -> bool:
    gap = compare(candidate.costs, first.costs)
    return gap is not None and gap.mean <= NEAR * gap.stderr
