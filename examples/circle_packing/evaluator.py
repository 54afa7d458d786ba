"""Put 26 circles that do not overlap into the unit square; the sum of their radii is large."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

CIRCLES = 26
TOLERANCE = 1e-9


def evaluate(solution: Any) -> dict[str, Any]:
    """The sum of the radii of 26 circles (x, y, radius). Raises ValueError for no packing."""
    if len(solution) != CIRCLES:
        raise ValueError(f"{len(solution)} circles, not {CIRCLES}")
    for k, (x, y, radius) in enumerate(solution):
        if not 0 <= radius <= min(x, y, 1 - x, 1 - y) + TOLERANCE:
            raise ValueError(f"circle {k} is not in the square")
    for (i, a), (j, b) in combinations(enumerate(solution), 2):
        if math.dist(a[:2], b[:2]) < a[2] + b[2] - TOLERANCE:
            raise ValueError(f"circles {i} and {j} overlap")
    radii = sorted(radius for _, _, radius in solution)
    return {
        "score": sum(radii),
        "smallest": radii[0],
        "largest": radii[-1],
        "feedback": f"{sum(radius < 0.05 for radius in radii)} circles have a radius below 0.05",
    }
