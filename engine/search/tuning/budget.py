"""How much a calibration may do: instance rollouts, reckoned from recorded CPU seconds.

No stopwatch enters: a recorded figure is the same for a run that is resumed. It is rounded to a
power of two, so that most repetitions of a run have the same budget, too.
"""

from __future__ import annotations

import math

from engine.domain.specs.settings import Settings
from engine.domain.values import Candidate
from engine.search.tuning.constants import find_constants
from engine.search.tuning.halves import split

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
