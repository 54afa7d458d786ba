"""The programs from which a search for whole cuts starts."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# (programs carry no annotations, and these are programs)

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from problems.shared.programs import as_rule

if TYPE_CHECKING:
    import numpy as np  # noqa: TC004 (no function is called here: they are texts)

    from problems.base import Rule


def side_by_side(starts, neighbours, weights):
    """Put each vertex on the side where it cuts more, those of most weight first."""
    size = len(starts) - 1
    ends = [neighbours[starts[v] : starts[v + 1]].tolist() for v in range(size)]
    links = [weights[starts[v] : starts[v + 1]].tolist() for v in range(size)]
    total = [sum(map(abs, row)) for row in links]
    spins = [0] * size
    order = sorted(range(size), key=lambda v: -total[v] - 0.1 * sum(links[v]))
    for v in order:
        pull = sum(w * spins[u] for u, w in zip(ends[v], links[v], strict=True))
        spins[v] = -1 if pull > 0 else 1
    return [1 if spin > 0 else 0 for spin in spins]


def find_gains(starts, neighbours, weights, spins):
    """What the cut gains when a vertex is flipped."""
    owners = np.repeat(np.arange(len(spins)), np.diff(starts))
    return spins * np.bincount(owners, weights * spins[neighbours], len(spins))


def flip(v, starts, neighbours, weights, spins, gains):
    """Flip a vertex, and keep the gains those of the spins."""
    row = slice(starts[v], starts[v + 1])
    gains[neighbours[row]] -= 2 * spins[v] * weights[row] * spins[neighbours[row]]
    gains[v] = -gains[v]
    spins[v] = -spins[v]


def greedy_flips(starts, neighbours, weights):
    """From all vertices on one side flip the one that gains most, until none gains."""
    spins = np.ones(len(starts) - 1)
    gains = find_gains(starts, neighbours, weights, spins)
    v = gains.argmax()
    while gains[v] > 0:
        flip(v, starts, neighbours, weights, spins, gains)
        v = gains.argmax()
    return [int(spin) for spin in spins]


def tabu_flips(starts, neighbours, weights):
    """Always flip the vertex that gains most, none twice within a tenure, and keep the best."""
    tenure = 20
    steps = 600
    spins = np.ones(len(starts) - 1)
    gains = find_gains(starts, neighbours, weights, spins)
    free_from = np.zeros(len(spins))
    cut = best_cut = 0.0
    best = spins.copy()
    for step in range(steps):
        v = np.where(free_from <= step, gains, -np.inf).argmax()
        cut += gains[v]
        flip(v, starts, neighbours, weights, spins, gains)
        free_from[v] = step + 1 + tenure
        if cut > best_cut:
            best_cut = cut
            best = spins.copy()
    return [int(spin) for spin in best]


def _with_numpy(rule: Rule) -> Rule:
    return replace(rule, code=f"import numpy as np\n\n\n{rule.code}")


SEEDS = (
    as_rule(side_by_side, "solve"),
    _with_numpy(as_rule(greedy_flips, "solve", find_gains, flip)),
    _with_numpy(as_rule(tabu_flips, "solve", find_gains, flip)),
)
