"""What a program may answer where an action is asked for."""

from __future__ import annotations

from numbers import Integral


def as_index(action: object) -> int:
    """An action as a plain int: NumPy's integers too, -1 for bool, float and all else."""
    if type(action) is int:
        return action
    if isinstance(action, bool) or not isinstance(action, Integral):
        return -1
    return int(action)
