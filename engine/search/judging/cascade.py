"""The evaluation cascade: a child far behind the worst survivor stops after a quarter of the set.

Only where survival is by cost, or by preceptor's own rule: by the paper's retention a costly
program of high agreement may survive, and whoever has not been evaluated in full has no agreement.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from engine.domain.checkpoint import Checkpoint
from engine.domain.search_state import SearchState
from engine.domain.values import Failure
from engine.search.environment import Environment
from engine.search.methods.methods import child_seconds
from engine.search.paired import compare
from engine.search.selection import (
    by_cost,
    cost_retain,
    distinct_cost_retain,
    distinct_pareto_retain,
)

SHARE = 4
"""The first part is one of so many."""

LEAST = 16
"""Instances below which a standard error is too rough to stop anybody."""

BY_COST = (cost_retain, distinct_cost_retain, distinct_pareto_retain)
"""Retentions under which nobody need survive who costs clearly more than the worst survivor.

By cost alone nobody could. Preceptor's own is not the paper's: it lets the clearly costlier go
whatever the teacher says of them.
"""


def count_first(size: int) -> int:
    """How many instances of a set come first; 0 for a set too small to be parted."""
    count = max(size // SHARE, LEAST)
    return count if 2 * count <= size else 0


def set_checkpoint(environment: Environment, state: SearchState) -> Checkpoint | None:
    """Where the children of the open generation are compared with its worst survivor.

    That is the worst of the population with which the generation opened: no sibling counts, so
    that it makes no difference which child comes first. None where all are evaluated in full, as
    where every child's constants are tuned before it is judged.
    """
    settings = environment.settings
    opened = [member for member in state.population if member.generation <= state.generation]
    method = environment.method
    if not settings.cascade or method.in_full or method.retain not in BY_COST:
        return None
    if child_seconds(environment.method, settings, environment.compiles):
        return None
    if len(opened) < settings.population:
        return None
    worst = max(opened, key=by_cost(settings.align))
    first = worst.costs[: count_first(len(worst.costs))]
    if not first:
        return None
    size = len(worst.costs)
    return Checkpoint(len(first), partial(judge, bar=first, size=size, most=settings.cascade))


def judge(
    costs: Sequence[float], bar: Sequence[float | None], size: int, most: float
) -> Failure | None:
    """The failure of a child that is `most` standard errors or more behind the costs of `bar`."""
    gap = compare(costs, bar)
    if gap is None or gap.mean <= 0 or gap.mean < most * gap.stderr:
        return None
    done = f"stopped after {len(costs)} of {size} instances"
    if gap.stderr == 0:
        return Failure("behind", f"{done}: behind the worst survivor by the same on each")
    errors = f"{gap.mean / gap.stderr:.1f} standard errors"
    return Failure("behind", f"{done}: {errors} behind the worst survivor")
