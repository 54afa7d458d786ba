"""Measured figures as text: as many digits as they are worth."""

from __future__ import annotations


def digits(value: float, count: int, sign: str = "") -> str:
    """A number with `count` significant digits, below 10**15 never as a power of ten.

    `sign` is `+` to write that of a positive number, too.
    """
    return f"{float(f'{value:.{count}g}'):{sign}.15g}"
