"""What a terminal is sent: all that it needs, and nothing that it shows already."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from tui.app.quiet_driver import Picture, change_style, split_style

SIZE = (20, 5)
STYLES = (
    *("", "1", "38;2;1;2;3", "38;5;7;48;2;9;9;9", "1;31;42", "4;48;5;3", "7", "2;97;100"),
    *("48;2;9;9;9", "58;5;3;4"),
)
SEQUENCE = re.compile(r"\x1b\[(\d+);(\d+)H|\x1b\[(\d+)C|\x1b\[([\d;]*)m|(\n)|([^\x1b\n])")
PARTS = re.compile(r"[345]8;2;\d+;\d+;\d+|[345]8;5;\d+|\d+")


@dataclass
class Terminal:
    """A terminal that knows as much as Textual writes and as the driver does."""

    cells: dict[tuple[int, int], tuple[frozenset[str], str]] = field(default_factory=dict)
    at: tuple[int, int] = (1, 1)
    style: frozenset[str] = frozenset()

    def write(self, text: str) -> None:
        """Obey a text."""
        for row, column, right, style, line, sign in SEQUENCE.findall(text):
            if row:
                self.at = (int(row), int(column))
            elif right:
                self.at = (self.at[0], self.at[1] + int(right))
            elif line:
                self.at = (self.at[0] + 1, 1)
            elif sign:
                self._put(sign)
            else:
                self._turn(style)

    def _put(self, sign: str) -> None:
        width = cell_len(sign)
        seen = self.style if sign != " " else frozenset(_seen_on_blanks(self.style))
        for step in range(width):
            self.cells[self.at[0], self.at[1] + step] = (seen, sign)
        self.at = (self.at[0], self.at[1] + width)

    def _turn(self, style: str) -> None:
        for part in PARTS.findall(style or "0"):
            kind = _kind(part)
            kept = {one for one in self.style if kind == "" or _kind(one) != kind}
            usual = part in ("39", "49")
            self.style = frozenset() if part == "0" else frozenset(kept | ({part} - {"39", "49"}))
            assert not usual or part not in self.style


def _kind(part: str) -> str:
    """Whether a part of a style is a foreground or a background."""
    if part.startswith("38;") or re.fullmatch(r"3[0-79]|9\d", part):
        return "foreground"
    return "background" if part.startswith("48;") or re.fullmatch(r"4[0-79]|10\d", part) else ""


def _seen_on_blanks(style: frozenset[str]) -> frozenset[str]:
    loud = style & {"4", "7", "9"}
    return style if loud else frozenset(one for one in style if _kind(one) == "background")


def frame(spans: list[tuple[int, int, str, str]]) -> str:
    """A frame as Textual writes it."""
    told = [
        f"\x1b[{row};{column}H\x1b[{style}m{text[: SIZE[0] - column]}\x1b[0m\n"
        for row, column, style, text in spans
    ]
    return f"{''.join(told)}\x1b[1;3H"


TEXTS = st.text(st.sampled_from("ab  ─●é⠂漢🙂\u0301"), min_size=1, max_size=12)
SPANS = st.tuples(st.integers(1, 5), st.integers(1, 6), st.sampled_from(STYLES), TEXTS)
FRAMES = st.lists(st.lists(SPANS, min_size=1, max_size=6), min_size=1, max_size=5)


@given(FRAMES)
@settings(max_examples=40)
def test_a_terminal_shows_the_same_as_if_everything_were_sent(
    frames: list[list[tuple[int, int, str, str]]],
) -> None:
    picture = Picture()
    sent_all, sent_less = Terminal(), Terminal()
    for spans in frames:
        spans = [(row, at, style, text[:7]) for row, at, style, text in spans]
        whole = frame(spans)
        sent_all.write(whole)
        sent_less.write(picture.reduce(whole, SIZE))
        assert sent_less.cells == sent_all.cells
        assert sent_less.at == sent_all.at
        assert picture.reduce(frame([]), SIZE) == ""


@given(st.text())
@settings(max_examples=40)
def test_what_is_no_frame_is_handed_on_as_it_is(text: str) -> None:
    picture = Picture()
    assert picture.reduce(f"\x1b[?1049h{text}", SIZE) == f"\x1b[?1049h{text}"
    assert picture.reduce(f"{text}\x1b", SIZE) == f"{text}\x1b"


def test_a_frame_that_is_shown_already_costs_nothing() -> None:
    picture = Picture()
    whole = frame([(2, 3, "1;31", "ab c"), (3, 1, "", "x")])
    assert picture.reduce(whole, SIZE)
    assert picture.reduce(whole, SIZE) == ""
    assert picture.reduce("\x07", SIZE) == "\x07"
    assert picture.reduce(whole, SIZE) == ""
    picture.reduce("\x1b[2J", SIZE)
    assert picture.reduce(whole, SIZE)


def test_only_the_cells_that_differ_are_sent() -> None:
    picture = Picture()
    picture.reduce(frame([(2, 3, "31", "abcdef")]), SIZE)
    assert (
        picture.reduce(frame([(2, 3, "31", "abXdef")]), SIZE)
        == "\x1b[2;5H\x1b[31mX\x1b[0m\x1b[1;3H"
    )


def test_a_frame_of_another_size_is_forgotten() -> None:
    picture = Picture()
    small = frame([(1, 1, "", "a")])
    picture.reduce(small, SIZE)
    wide = "\x1b[1;1H\x1b[m" + 21 * "x"
    assert picture.reduce(wide, SIZE) == wide
    assert picture.reduce(small, SIZE) != ""


@given(st.sampled_from(STYLES), st.sampled_from(STYLES))
@settings(max_examples=40)
def test_a_style_turns_into_another(before: str, after: str) -> None:
    terminal, other = Terminal(), Terminal()
    terminal.write(f"\x1b[0;{before}m{change_style(before, after)}x")
    other.write(f"\x1b[0;{after}mx")
    assert terminal.cells == other.cells


@given(st.from_regex(r"[\d;]{0,30}", fullmatch=True))
@settings(max_examples=40)
def test_any_numbers_are_taken_apart(style: str) -> None:
    attributes, foreground, background = split_style(style)
    told = {*";".join((*attributes, foreground, background)).split(";")}
    assert told | {""} == {*style.split(";")} | {""}
