"""A terminal is sent what it does not show yet: over SSH every repeated cell would be paid for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import lru_cache

from rich.cells import cell_len
from textual.drivers.linux_driver import LinuxDriver

Cell = tuple[str, str]
"""Numbers of a style (SGR) and a character of one cell's width."""

Span = tuple[int, int, str, str]
"""Row and column, both counted from 1, style, text."""

_TOKEN = re.compile(r"\x1b\[(\d+);(\d+)H|\x1b\[([\d;]*)m|(\r?\n)|([^\x00-\x1f\x7f-\x9f]+)")
_BEGIN = "\x1b[?2026h"
_END = "\x1b[?2026l"
"""Between these two a terminal paints nothing, where it knows them."""

_HARMLESS = re.compile(r"\x07|\x1b\][^\x07\x1b]*\x07")
"""The bell, and what a terminal is asked beside its picture: a copy, a notice, a title."""

_SHOWS_ON_BLANKS = {"4", "7", "9", "21", "53"}
"""Underlined, reversed, struck through, doubly underlined, overlined."""

NEAR = 4
"""Unchanged cells that are cheaper to repeat than to pass over."""


class Picture:
    """What a terminal shows, as far as it is known, cell by cell."""

    def __init__(self) -> None:
        self._rows: dict[int, dict[int, Cell]] = {}
        self._cursor = (0, 0)

    def forget(self) -> None:
        """Know nothing of what the terminal shows."""
        self._rows.clear()
        self._cursor = (0, 0)

    def reduce(self, written: str, size: tuple[int, int]) -> str:
        """What of a frame a terminal of `size` (columns, rows) needs; "" where it shows all of it.

        What is no frame of positions, styles and text is handed on, and forgotten with everything.
        """
        if _HARMLESS.fullmatch(written):
            return written
        parsed = _parse(written)
        if parsed is None or not _is_within(parsed[0], size):
            self.forget()
            return written
        spans, cursor = parsed
        told = "".join(self._tell(spans))
        if not told and cursor == self._cursor:
            return ""
        self._cursor = cursor
        return f"{told}\x1b[{cursor[0]};{cursor[1]}H"

    def _tell(self, spans: Iterable[Span]) -> list[str]:
        """The spans without the cells that are shown already."""
        rows: dict[int, list[Span]] = {}
        for span in spans:
            rows.setdefault(span[0], []).append(span)
        pen = _Pen()
        for row, found in rows.items():
            if all(map(is_plain, (text for *_, text in found))):
                self._tell_row(pen, row, found)
            else:  # where its characters stand, terminals do not agree
                self._rows.pop(row, None)
                for _, at, style, text in found:
                    pen.write_whole(row, at, style, text)
        return pen.lift()

    def _tell_row(self, pen: _Pen, row: int, spans: Iterable[Span]) -> None:
        known = self._rows.setdefault(row, {})
        wanted = {
            at: (blank_style(style) if sign == " " else style, sign)
            for _, column, style, text in spans
            for at, sign in enumerate(text, column)
        }
        for at in sorted(at for at, cell in wanted.items() if known.get(at) != cell):
            pen.go(row, at, wanted)
            pen.write(wanted[at])
        known.update(wanted)


class _Pen:
    """Writes cells in the order in which they are read."""

    def __init__(self) -> None:
        self._told: list[str] = []
        self._row = 0
        self._at = 0
        self._style = ""

    def go(self, row: int, at: int, wanted: dict[int, Cell]) -> None:
        """Move to a cell; over those of the same row that are near by writing them once more."""
        between = [wanted.get(one) for one in range(self._at, at)]
        if row != self._row or at < self._at:
            self._told.append(f"\x1b[{row};{at}H")
        elif len(between) <= NEAR and all(cell and self._suits(cell) for cell in between):
            self._told += [sign for _, sign in filter(None, between)]
        else:
            self._told.append(f"\x1b[{at - self._at}C")
        self._row = row
        self._at = at

    def write(self, cell: Cell) -> None:
        """Write a cell."""
        style, sign = cell
        if not self._suits(cell):
            self._told.append(change_style(self._style, style))
            self._style = style
        self._told.append(sign)
        self._at += 1

    def write_whole(self, row: int, at: int, style: str, text: str) -> None:
        """Write a text of which nobody knows where it ends."""
        self._told.append(f"\x1b[{row};{at}H\x1b[0;{style}m{text}")
        self._style = style
        self._row = 0

    def lift(self) -> list[str]:
        """All that was written, and the usual style after it."""
        return [*self._told, "\x1b[0m"] if self._told else []

    def _suits(self, cell: Cell) -> bool:
        """Whether a cell looks as it should in the style that is being written."""
        style, sign = cell
        return style == (blank_style(self._style) if sign == " " else self._style)


class QuietDriver(LinuxDriver):
    """Textual's driver, but what the terminal shows already is not sent again."""

    _picture: Picture | None = None
    _terminal: tuple[int, int] | None = None
    _begins = False

    def write(self, data: str) -> None:
        """Send what the terminal needs of a frame; an empty frame is not even begun."""
        if data == _BEGIN:
            self._begins = True
        elif data == _END:
            if not self._begins:
                super().write(data)
            self._begins = False
        elif told := self._reduce(data):
            super().write(f"{_BEGIN}{told}" if self._begins else told)
            self._begins = False

    def forget(self) -> None:
        """Send everything of the next frame."""
        self._picture = None

    def _reduce(self, data: str) -> str:
        try:
            width, height = os.get_terminal_size(self.fileno)
        except OSError:  # the terminal is gone
            return data
        if self._picture is None or (width, height) != self._terminal:
            self._picture = Picture()
            self._terminal = (width, height)
        return self._picture.reduce(data, self._terminal)


def _parse(written: str) -> tuple[list[Span], tuple[int, int]] | None:
    """The spans of a frame and where it leaves the cursor; None where it is none."""
    spans: list[Span] = []
    row = column = end = 0
    style = ""
    for token in _TOKEN.finditer(written):
        to_row, to_column, numbers, line, text = token.groups()
        if token.start() != end or not (row or to_row):
            return None
        end = token.end()
        if to_row:
            row, column = int(to_row), int(to_column)
        elif line:
            row, column = row + 1, 1
        elif text:
            spans.append((row, column, style, text))
            column += len(text) if is_plain(text) else cell_len(text)
        elif numbers in ("", "0"):
            style = ""
        else:
            style = f"{style};{numbers}" if style else numbers
    return (spans, (row, column)) if end == len(written) and row else None


def _is_within(spans: Iterable[Span], size: tuple[int, int]) -> bool:
    """Whether all of a frame has its place in a terminal of a size."""
    width, height = size
    return all(
        row <= height and column + cell_len(text) - 1 <= width for row, column, _, text in spans
    )


@lru_cache(4096)
def is_plain(text: str) -> bool:
    """Whether every character of a text takes one cell."""
    return text.isascii() or all(cell_len(sign) == 1 for sign in text)


def blank_style(style: str) -> str:
    """What of a style is seen on a blank: its background, and all of it where more is seen."""
    attributes, _, background = split_style(style)
    return style if attributes & _SHOWS_ON_BLANKS else background


@lru_cache(4096)
def change_style(before: str, after: str) -> str:
    """The shortest sequence that turns one style into another."""
    attributes, *colours = split_style(before)
    wanted, *wanted_colours = split_style(after)
    if not after or not attributes <= wanted:
        return f"\x1b[0;{after}m" if after else "\x1b[0m"
    told = sorted(wanted - attributes)
    for old, new, usual in zip(colours, wanted_colours, ("39", "49"), strict=True):
        told += [new or usual] if old != new else []
    return f"\x1b[{';'.join(told)}m" if told else ""


@lru_cache(1024)
def split_style(style: str) -> tuple[frozenset[str], str, str]:
    """The attributes of a style, its foreground, its background; "" for the usual colour."""
    numbers = style.split(";") if style else []
    attributes: set[str] = set()
    foreground = background = ""
    while numbers:
        number = numbers.pop(0)
        if number in ("38", "48", "58") and numbers:
            length = {"2": 4, "5": 2}.get(numbers[0], 1)
            number = ";".join((number, *numbers[:length]))
            del numbers[:length]
        if number.startswith("38;") or number in _FOREGROUNDS:
            foreground = number
        elif number.startswith("48;") or number in _BACKGROUNDS:
            background = number
        else:
            attributes.add(number)
    return frozenset(attributes), foreground, background


_FOREGROUNDS = {str(number) for number in (*range(30, 38), *range(90, 98))}
_BACKGROUNDS = {str(number) for number in (*range(40, 48), *range(100, 108))}
