"""What a calibration works on: whose constants, which halves of a set, how many rollouts.

Rollouts are computed from recorded CPU seconds. No stopwatch enters: a recorded figure is the same
for a run that is resumed. It is rounded to a power of two, so that most repetitions of a run have
the same budget, too.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from engine.domain.specs.settings import Settings
from engine.domain.values import Candidate
from engine.search.selection import Draw, contenders
from engine.search.tuning.constants import find_constants

MOST_TRIALS = 400
"""Trials on the whole half that a budget buys at most, however fast a program is."""

FEWEST_TRIALS = 6
"""Trials on the whole half that a budget must allow, and one a constant."""

REPLAY = 0.0005
"""CPU seconds of a rollout at least: its replay, and its part of compiling a batch."""

SLOWER = 4.0
"""How much slower than its parent a trial may be before it is stopped."""

START = 1.0
"""CPU seconds that any trial may use besides."""


def count_rollouts(seconds: float, parent: Candidate, half: int) -> int:
    """Rollouts that so many CPU seconds buy of a program that was evaluated."""
    each = max(REPLAY, parent.cpu / max(1, len(parent.costs)))
    most = MOST_TRIALS * half
    return min(most, math.floor(seconds / 2.0 ** round(math.log2(each))))


def pays(parent: Candidate, settings: Settings) -> bool:
    """Whether operator tune can search over the constants of a program for what it may take."""
    half = len(split(len(parent.costs)).tuned)
    budget = settings.tune_rollouts or count_rollouts(settings.tune_seconds, parent, half)
    constants = len(find_constants(parent.program.code))
    return constants > 0 and fewest_rollouts(constants, half) <= budget


def fewest_rollouts(constants: int, half: int) -> int:
    """Rollouts on so many instances below which a search over constants is not begun."""
    return max(FEWEST_TRIALS, constants) * half


def limit_seconds(parent: Candidate, instances: int) -> float:
    """CPU seconds that a trial on so many instances may use, whole ones."""
    each = parent.cpu / max(1, len(parent.costs))
    return math.ceil(START + SLOWER * each * instances)


FEWEST = 4
"""Instances of a set below which nothing is tuned."""

PART = 4
"""A race is looked at after this part of the tuned half, one in so many."""

LEAST_PART = 4
"""Instances of that part at least."""


@dataclass(frozen=True, slots=True)
class Halves:
    """Instances by index: those tuned on in the order in which they are tried, and the others.

    The first `part` of the tuned ones decide who continues.
    """

    tuned: tuple[int, ...]
    accepted: tuple[int, ...]
    part: int


def split(count: int) -> Halves:
    """The halves of a set of so many instances, the same for every program.

    One of every two neighbours goes to each: a set may be sorted, or take kinds in turn.
    """
    rng = random.Random(f"halves of {count}")
    tuned = [rng.choice((k, k + 1)) for k in range(0, count - 1, 2)]
    rng.shuffle(tuned)
    accepted = sorted(set(range(count)) - set(tuned))
    part = min(len(tuned), max(LEAST_PART, len(tuned) // PART))
    return Halves(tuple(tuned), tuple(accepted), part)


TUNE = "tune"
"""The operator that searches over the constants of a program."""


def best_untuned(draw: Draw) -> Candidate | None:
    """The best program with constants that nobody has tuned yet, else of those tuned least often.

    A second try at a program has another seed. Nobody where no program that is not far behind the
    best has constants, or where all are too slow for the operator's budget.
    """
    near = contenders(draw.population, draw.settings.align)
    tunable = [c for c in near if pays(c, draw.settings)]
    times = list_tuned(draw.seen)
    fresh = [c for c in tunable if c.id not in times or len(find_constants(c.program.code)) > 1]
    return min(fresh, key=lambda c: times.count(c.id) + (c.id in draw.used), default=None)


def list_tuned(seen: Sequence[Candidate]) -> list[str]:
    """Ids of programs that were tuned, or that tuning made, as often as that has happened.

    Children that were tuned before they were judged are among them.
    """
    made = [c for c in seen if c.operator == TUNE]
    judged = [c.id for c in seen if c.tuning is not None and c.operator != TUNE]
    return [*judged, *(c.id for c in made), *(parent for c in made for parent in c.parents)]
