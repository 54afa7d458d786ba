"""How values read on a terminal: numbers, times, names, and the commands to type next."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from engine.domain.names import FILES, NOTHING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.values import Candidate, Diagnostics


def number(value: float | None) -> str:
    """A cost or an amount, six significant digits."""
    return NOTHING if value is None else f"{value:.6g}"


def share(value: float | None) -> str:
    """An agreement or another share of 1, three decimals."""
    return NOTHING if value is None else f"{value:.3f}"


def comment(diagnostics: Diagnostics | None) -> str:
    """Agreement, never without its standard error and chance level; empty without a teacher."""
    if diagnostics is None:
        return ""
    d = diagnostics
    return f", agreement {share(d.agreement)} ± {share(d.stderr)} (chance {share(d.chance)})"


def outcome(candidate: Candidate) -> str:
    """What became of a candidate: cost and agreement, or how it failed."""
    failure = candidate.failure
    if failure is not None:
        return f"{failure.kind}: {failure.message}"
    return f"cost {number(candidate.cost)}{comment(candidate.diagnostics)}"


def duration(seconds: float) -> str:
    """`12 s`, `4 min 3 s`, `2 h 5 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def clock(seconds: float) -> str:
    """`4:03`, `2:05:00`: a duration that stands in a narrow place."""
    minutes, whole = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{whole:02}" if hours else f"{minutes}:{whole:02}"


def moment(time: float) -> str:
    """A time of Unix seconds on the user's own clock."""
    return datetime.fromtimestamp(time).astimezone().strftime("%Y-%m-%d %H:%M")


def stamp(time: float | None) -> str | None:
    """A time of Unix seconds in ISO 8601, UTC, for other programs."""
    return None if time is None else datetime.fromtimestamp(time, UTC).isoformat()


def short_writer(spec: str) -> str:
    """A writer or a teacher; of one in a file of the user's own, the file without its folders."""
    return ":".join(Path(part).name if part.endswith(FILES) else part for part in spec.split(":"))


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as their widest cell; numbers stand to the right, words to the left."""
    columns = list(zip(head, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    right = [all(_is_number(cell) for cell in column[1:]) for column in columns]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in (head, *rows)
    )


def _is_number(cell: str) -> bool:
    return cell == NOTHING or cell.replace(".", "").replace("/", "").lstrip("-").isdigit()
