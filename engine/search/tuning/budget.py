"""How much a calibration may do: instance rollouts, reckoned from recorded CPU seconds.

No stopwatch enters: a recorded figure is the same for a run that is resumed. It is rounded to a
power of two, so that most repetitions of a run have the same budget, too.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.domain.values import Candidate

MOST_TRIALS = 400
"""Trials on the whole half that a budget buys at most, however fast a program is."""

SLOWER = 4.0
"""How much slower than its parent a trial may be before it is stopped."""

START = 1.0
"""CPU seconds that any trial may use besides."""


def count_rollouts(seconds: float, parent: Candidate, half: int) -> int:
    """Rollouts that so many CPU seconds buy of a program that was evaluated."""
    each = parent.cpu / max(1, len(parent.costs))
    most = MOST_TRIALS * half
    if each <= 0:
        return most
    return min(most, math.floor(seconds / 2.0 ** round(math.log2(each))))


def limit_seconds(parent: Candidate, instances: int) -> float:
    """CPU seconds that a trial on so many instances may use, whole ones."""
    each = parent.cpu / max(1, len(parent.costs))
    return math.ceil(START + SLOWER * each * instances)
