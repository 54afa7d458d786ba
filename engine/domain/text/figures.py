"""Figures as text: as many digits as they are worth, and spans of time (`90s`, `1h30m`)."""

from __future__ import annotations

import math
import re

from problems.errors import UserError


def dollars(usd: float) -> str:
    """`$12.35`, `$0.284`, `$0.00213`: to the cent, small sums at three digits."""
    decimals = 2 - math.floor(math.log10(usd)) if 0 < usd < 1 else 2
    return f"${usd:,.{min(decimals, 6)}f}"


def digits(value: float, count: int, sign: str = "") -> str:
    """A number with `count` significant digits, below 10**15 never as a power of ten.

    `sign` is `+` to write that of a positive number, too.
    """
    return f"{float(f'{value:.{count}g}'):{sign}.15g}"


UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0}
"""Seconds of each unit, the largest first."""

_SPAN = re.compile("".join(rf"(?:(\d+(?:\.\d+)?){unit})?" for unit in UNITS))
_LONGEST = 30

CENTURY = 100 * 365.25 * 24 * UNITS["h"]
"""Seconds; no run takes as long, and later moments have no date."""


def read_time_span(text: str) -> float:
    """Seconds of a span such as `90s`, `1.5h` or `1h30m`.

    Raises UserError for anything else, a number without a unit among it.
    """
    text = text.strip()
    match = _SPAN.fullmatch(text) if text.isascii() and len(text) < _LONGEST else None
    if text.isascii() and text.isdecimal() and len(text) < _LONGEST:
        raise UserError(f"a time has a unit: {text}m or {text}s, not {text!r}")
    if match is None or not text:
        raise UserError(f"a time is written 90s, 30m or 1h30m, not {text!r}")
    spans = zip(match.groups(), UNITS.values(), strict=True)
    seconds = sum(float(number) * unit for number, unit in spans if number)
    if seconds > CENTURY:
        raise UserError(f"a time is at most 100 years, not {text!r}")
    return seconds


def write_time_span(seconds: float) -> str:
    """The same in words: `90s`, `30m`, `1h30m`; parts of a second are rounded up."""
    left = math.ceil(seconds)
    if left < 2 * UNITS["m"]:
        return f"{left}s"
    words = []
    for unit, length in UNITS.items():
        count, left = divmod(left, int(length))
        words += [f"{count}{unit}"] if count else []
    return "".join(words)
