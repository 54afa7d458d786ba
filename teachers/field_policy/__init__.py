"""A policy over the numbers that a problem's programs read, for any problem with decisions."""

from typing import Final

TEACHERS: Final[dict[str, str]] = {}
"""None by name: `train.train` takes a problem, and calls the teacher policy-PROBLEM."""
