"""TSPLIB's distances besides the rounded Euclidean ones, whole numbers by rules of its own.

G. Reinelt, "TSPLIB95", 1995, sections 2.1 and 2.2; of degrees its programs take the whole part,
where the text says that they are rounded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PI = 3.141592
"""TSPLIB's own, which its published optima depend on."""

RADIUS = 6378.388
"""Of the earth, in kilometres."""

EXPLICIT = "EXPLICIT"
"""The word for distances that stand in the file."""


def ceiled(points: Floats, others: Floats) -> Floats:
    """CEIL_2D: Euclidean, rounded up."""
    import numpy as np

    x, y = _differences(points, others)
    found: Floats = np.ceil(np.sqrt(x * x + y * y))
    return found


def pseudo_euclidean(points: Floats, others: Floats) -> Floats:
    """ATT: the root of a tenth of the squared distance, rounded, and never down."""
    import numpy as np

    x, y = _differences(points, others)
    root = np.sqrt((x * x + y * y) / 10.0)
    nearest = np.floor(root + 0.5)
    found: Floats = np.where(nearest < root, nearest + 1, nearest)
    return found


def manhattan(points: Floats, others: Floats) -> Floats:
    """MAN_2D: along both axes, rounded."""
    import numpy as np

    x, y = _differences(points, others)
    found: Floats = np.floor(abs(x) + abs(y) + 0.5)
    return found


def maximal(points: Floats, others: Floats) -> Floats:
    """MAX_2D: along the axis with the larger difference, both rounded."""
    import numpy as np

    x, y = _differences(points, others)
    found: Floats = np.maximum(np.floor(abs(x) + 0.5), np.floor(abs(y) + 0.5))
    return found


def geographical(points: Floats, others: Floats) -> Floats:
    """GEO: kilometres on the earth; x is the latitude, y the longitude, as degrees.minutes."""
    import numpy as np

    latitude, longitude = (_radians(values)[:, None] for values in points.T)
    other_latitude, other_longitude = map(_radians, others.T)
    east = np.cos(longitude - other_longitude)
    between = np.cos(latitude - other_latitude)
    together = np.cos(latitude + other_latitude)
    cosine = 0.5 * ((1.0 + east) * between - (1.0 - east) * together)
    found: Floats = np.floor(RADIUS * np.arccos(cosine.clip(-1, 1)) + 1.0)
    return found


def _radians(values: Floats) -> Floats:
    import numpy as np

    degrees = np.trunc(values)
    found: Floats = PI * (degrees + 5.0 * (values - degrees) / 3.0) / 180.0
    return found


def _differences(points: Floats, others: Floats) -> tuple[Any, Any]:
    """Of x and of y, a row for every point."""
    import numpy as np

    x, y = (np.subtract.outer(one, other) for one, other in zip(points.T, others.T, strict=True))
    return x, y


RULES: Mapping[str, Callable[[Floats, Floats], Floats]] = {
    "CEIL_2D": ceiled,
    "ATT": pseudo_euclidean,
    "GEO": geographical,
    "MAN_2D": manhattan,
    "MAX_2D": maximal,
}
"""By TSPLIB's word: the distances `[i, j]` of some points to others, both `[node, 2]`."""
