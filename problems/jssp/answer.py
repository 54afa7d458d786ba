"""What a program may answer: a finite real number."""

from __future__ import annotations

import math
from numbers import Real

from problems.errors import InvalidAction


def finite(score: object, job: int) -> float:
    """A program's answer as a float.

    Any real number will do, NumPy's included; bool, complex, arrays and None will not. Raises
    InvalidAction, whose message starts with "non-finite score" for NaN and the infinities.
    """
    if type(score) is not float:
        if isinstance(score, bool) or not isinstance(score, Real):
            kind = type(score).__name__
            raise InvalidAction(f"score of job {job} is not a real number but {kind}: {score!r}")
        try:
            score = float(score)
        except OverflowError:
            score = math.inf
    if not math.isfinite(score):
        raise InvalidAction(f"non-finite score of job {job}: {score}")
    return score
