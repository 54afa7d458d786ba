"""Numbers, sections, tables and limits of length, as prompts write them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.domain.text.figures import digits


def number(value: float | None) -> str:
    """A number in at most six significant digits, the same on every machine."""
    return "none" if value is None else f"{value:.6g}"


def rough(value: float | None) -> str:
    """A number for judging sizes: whole from 100 on, else three significant digits."""
    if value is None:
        return "-"
    return f"{value:.0f}" if 100 <= abs(value) < 1e6 else f"{value:.3g}"


def two_digits(value: float) -> str:
    """A measured time, without the digits that another measurement would not show again."""
    return digits(value, 2)


def share(value: float | None) -> str:
    """A number between -1 and 1 in two decimals."""
    return "-" if value is None else f"{value:.2f}"


def section(title: str, body: str) -> str:
    """A titled part of a prompt; nothing at all where there is nothing to say."""
    return f"## {title}\n{body}" if body else ""


def table(rows: Iterable[Sequence[str]]) -> str:
    """Rows of cells, one line each, the first with the names of the columns."""
    return "\n".join(" | ".join(row) for row in rows)


def cut(text: str, most: int) -> str:
    """Text on one line, of `most` characters at most."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: most - 4].rstrip()} ..."


def clip(code: str, most: int) -> str:
    """The first and last lines of a program, about `most` characters, whole lines only.

    The end has two thirds of the room: there the terms come together.
    """
    if len(code) <= most:
        return code
    head = code[: most // 3].rpartition("\n")[0]
    tail = code[len(code) - (most - most // 3) :].partition("\n")[2]
    left_out = len(code) - len(head) - len(tail)
    return f"{head}\n# ... {left_out} characters left out ...\n{tail}"


def share_room(lengths: Sequence[int], room: int) -> list[int]:
    """How much room each text gets: short ones all that they need, long ones equal parts."""
    rooms = [0] * len(lengths)
    left = room
    order = sorted(range(len(lengths)), key=lambda k: lengths[k])
    for place, k in enumerate(order):
        rooms[k] = min(lengths[k], left // (len(order) - place))
        left -= rooms[k]
    return rooms


def collapse(text: str) -> str:
    """Text in which what was left empty leaves no more than one blank line."""
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.strip() + "\n"
