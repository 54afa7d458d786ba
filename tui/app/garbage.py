"""How often Python looks for garbage."""

from __future__ import annotations

import gc

SELDOM = 100_000
"""Values made since the last look, less those given up, at which Python looks again."""


def collect_less() -> None:
    """Look for garbage seldom, and never in what is loaded by now.

    A run of 1,000 programs is 100,000 values that stay: by Python's own thresholds the collector
    looks through all of them several times while they are read, which took half of the time, and
    through all that is imported at the start, which took an eighth.
    """
    gc.freeze()
    gc.set_threshold(SELDOM)
