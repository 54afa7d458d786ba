"""Nodes in the plane as a small text picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from problems.shared.routing import Points

WIDTH = 78
HEIGHT = 22


def sketch(points: Points, layers: Iterable[tuple[str, Iterable[int]]]) -> list[str]:
    """The nodes where they lie, as 22 lines of at most 78 columns.

    A layer is a sign and the nodes that it stands for; where several lie in one place, the last
    layer shows. North is up, both axes fill the picture.
    """
    xs, ys = zip(*points, strict=True)
    columns = _scale(xs, WIDTH)
    heights = _scale(ys, HEIGHT)
    rows = [[" "] * WIDTH for _ in range(HEIGHT)]
    for sign, nodes in layers:
        for node in nodes:
            rows[HEIGHT - 1 - heights[node]][columns[node]] = sign
    return ["".join(row).rstrip() for row in rows]


def _scale(values: Sequence[float], size: int) -> list[int]:
    low = min(values)
    span = (max(values) - low) or 1
    return [round((value - low) / span * (size - 1)) for value in values]
