"""The toy, in a process that has loaded numba before it forks, as a compiling problem would."""

import numba  # noqa: F401

from tests.toy.problem import build

__all__ = ["build"]
