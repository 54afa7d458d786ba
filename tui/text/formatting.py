"""How values read on a terminal: numbers, times, names, statuses, tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import zip_longest
from typing import TYPE_CHECKING

from engine.domain.names import NOTHING, split_names, strip_folders
from engine.domain.text.plain_text import one_line

if TYPE_CHECKING:  # every command loads this module at its start
    from engine.domain.status import Status
    from engine.domain.values import Advice, Candidate, Diagnostics, Usage

_BREAK = re.compile(r"\s*[\r\n\t]\s*")


def number(value: float | None) -> str:
    """A cost or an amount, six significant digits."""
    return NOTHING if value is None else f"{value:.6g}"


def figure(value: float | None) -> str:
    """The same with all six digits: figures of one kind stand one below the other."""
    return NOTHING if value is None else f"{value:#.6g}".removesuffix(".")


def in_milliseconds(seconds: float | None) -> float | None:
    """A short time in milliseconds, None without one."""
    return None if seconds is None else 1000 * seconds


def milliseconds(seconds: float | None) -> str:
    """The same in words, three significant digits."""
    return NOTHING if seconds is None else f"{1000 * seconds:.3g}"


def format_pace(candidate: Candidate) -> str:
    """How long a program took; empty where its decisions were not counted."""
    if candidate.pace is None:
        return ""
    return f"{milliseconds(candidate.pace)} ms a decision, {candidate.cpu:.3g} CPU seconds in all"


def share(value: float | None) -> str:
    """An agreement or another share of 1, three decimals."""
    return NOTHING if value is None else f"{value:.3f}"


def join(*parts: str) -> str:
    """The parts that are not empty, with commas between them."""
    return ", ".join(filter(None, parts))


def format_agreement(d: Diagnostics | None) -> str:
    """Agreement, never without its standard error and chance level; empty without a teacher."""
    if d is None:
        return ""
    return f"agreement {share(d.agreement)} ± {share(d.stderr)} (chance {share(d.chance)})"


def format_preferences(d: Diagnostics) -> str:
    """Value and percentile of the program's choices, and on how many states."""
    return f"value {share(d.value)}, percentile {share(d.percentile)}, {d.states} states"


def format_real(d: Diagnostics) -> str:
    """The figures by real disagreements alone; empty where it is not known which ones are."""
    real = d.real
    if real is None:
        return ""
    return (
        f"real agreement {share(real.agreement)} ± {share(real.stderr)} "
        f"(chance {share(real.chance)}), value {share(real.value)}, "
        f"percentile {share(real.percentile)}"
    )


BROAD = 100
"""Cells of a line that has the room for sentences."""

SURE = 2.0
"""Standard errors within which a difference is called noise."""


def format_advice(advice: Advice | None) -> str:
    """What taking the teacher's choices comes to; empty where none was tried."""
    if advice is None:
        return ""
    unsure = advice.stderr is not None and abs(advice.gain) <= SURE * advice.stderr
    return (
        f"advice: {advice.helped} of {advice.checked} choices tried help, {advice.harmed} harm, "
        f"{advice.unchanged} change nothing, following them {advice.outcome}"
        f"{' (within its noise)' * unsure}"
    )


def format_outcome(candidate: Candidate) -> str:
    """What became of a candidate: its costs and agreement, or how it failed."""
    failure = candidate.failure
    if failure is not None:
        return f"{failure.kind}: {failure.message}"
    last = candidate.selection_cost
    selection = "" if last is None else f"on the selection set {number(last)}"
    cost = f"cost {number(candidate.cost)}"
    agreement = format_agreement(candidate.diagnostics)
    return join(cost, selection, agreement)


def format_usage(usage: Usage) -> str:
    """Tokens and money of a reply; empty for a writer that uses none."""
    if usage.tokens_in + usage.tokens_out == 0:
        return ""
    money = "price unknown" if usage.usd is None else f"${usage.usd:.4f}"
    return f"{usage.tokens_in} tokens in, {usage.tokens_out} out, {money}"


def duration(seconds: float) -> str:
    """`12 s`, `4 min 3 s`, `2 h 5 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def age(seconds: float) -> str:
    """`12m`, `3h`, `8d`: how long ago, for a narrow column."""
    for unit, length in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= length:
            return f"{int(seconds // length)}{unit}"
    return "<1m"


def clock(seconds: float) -> str:
    """`4:03`, `2:05:00`: a duration for a narrow place."""
    minutes, whole = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{whole:02}" if hours else f"{minutes}:{whole:02}"


def moment(time: float) -> str:
    """A time of Unix seconds in the local time zone."""
    return datetime.fromtimestamp(time).astimezone().strftime("%Y-%m-%d %H:%M")


def stamp(time: float | None) -> str | None:
    """A time of Unix seconds in ISO 8601, UTC, for other programs."""
    return None if time is None else datetime.fromtimestamp(time, UTC).isoformat()


def short_writer(spec: str) -> str:
    """A writer or a teacher; of one in a file of the user's own, the file without its folders.

    Of several writers each, `and` between them.
    """
    if "," in spec:
        return short_writers(*split_names(spec))
    return one_line(strip_folders(spec))


def short_writers(*specs: str) -> str:
    """The different ones of some writers, `and` between them; empty ones do not count."""
    return " and ".join(dict.fromkeys(short_writer(spec) for spec in specs if spec))


def table(head: Sequence[str], rows: Sequence[Sequence[str]], width: int | None = None) -> str:
    """Columns as wide as their widest cell; numbers are aligned right, words left.

    What a name brings along forges no row. Where a table is wider than `width` cells, the words of
    its widest columns continue below, and what has hyphens at these; it stays wider where that is
    not enough.
    """
    rows = [[_BREAK.sub(" ", cell) for cell in row] for row in (head, *rows)]
    columns = list(zip(*rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    gap, part = "  ", _WORD
    if width is not None and _total(widths, gap) > width:
        for gap, part in (("  ", _WORD), (" ", _WORD), (" ", _PART)):
            fitted = _fit(widths, columns, part, width - len(gap) * (len(columns) - 1))
            if _total(fitted, gap) <= width:
                break
        widths = fitted
    right = [all(_is_number(cell) for cell in column[1:]) for column in columns]
    lines = []
    for row in rows:
        wrapped = [[cell] for cell in row]
        if width is not None:
            wrapped = [_wrap(cell, part, room) for cell, room in zip(row, widths, strict=True)]
        for parts in zip_longest(*wrapped, fillvalue=""):
            cells = [
                text.rjust(room) if to_right else text.ljust(room)
                for text, room, to_right in zip(parts, widths, right, strict=True)
            ]
            lines.append(gap.join(cells).rstrip())
    return "\n".join(lines)


def fit_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], width: int | None, less: Sequence[str]
) -> str:
    """A table without the columns of `less` that are empty; where it is too wide, the last go."""
    columns = zip(head, zip(*rows, strict=True), strict=True) if rows else ()
    empty = {name for name, column in columns if name in less and {*column} == {NOTHING}}
    for out in (empty, *({name} for name in reversed(less))):
        kept = [at for at, name in enumerate(head) if name not in out]
        head, rows = [head[at] for at in kept], [[row[at] for at in kept] for row in rows]
        text = table(head, rows)
        if width is None or max(map(len, text.split("\n"))) <= width:
            break
    return text


_WORD = re.compile(r"\S+")
_PART = re.compile(r"-*[^\s-]+-*|-+")
"""What of a cell stays in one line: words, or their parts up to hyphens, not behind a sign."""


def _total(widths: Sequence[int], gap: str) -> int:
    return sum(widths) + len(gap) * (len(widths) - 1)


def _wrap(cell: str, part: re.Pattern[str], width: int) -> list[str]:
    """A cell in lines of whole parts, one line at least."""
    if len(cell) <= width:
        return [cell]
    lines = [""]
    end = 0
    for found in part.finditer(cell):
        longer = lines[-1] + cell[end : found.start()] + found[0]
        if lines[-1] and len(longer) > width:
            lines.append(found[0])
        else:
            lines[-1] = longer.lstrip()
        end = found.end()
    return lines


def _fit(
    widths: Sequence[int], columns: Sequence[Sequence[str]], part: re.Pattern[str], width: int
) -> list[int]:
    """Widths of columns whose sum is `width`, as far as the parts of their cells allow.

    Time after time the widest column that can give way is made narrower.
    """
    fitted = list(widths)
    found = [part.findall(" ".join(column)) for column in columns]
    least = [max(map(len, parts), default=0) for parts in found]
    while sum(fitted) > width:
        giving = [k for k in range(len(fitted)) if fitted[k] > least[k]]
        if not giving:
            break
        fitted[max(giving, key=lambda k: fitted[k])] -= 1
    return fitted


def _is_number(cell: str) -> bool:
    return cell == NOTHING or re.sub(r"[./]", "", cell).lstrip("-$").isdigit()


_SYMBOLS: dict[Status, str] = {
    "starting": "◌",
    "running": "●",
    "paused": "‖",
    "done": "✓",
    "budget": "$",
    "stopped": "■",
    "failed": "✗",
    "pausing": "◧",
    "stopping": "◨",
    "busy": "◔",
    "hung": "?",
    "interrupted": "!",
}
_COLOURS: dict[Status, str] = {
    "starting": "$text-accent",
    "running": "$text-success",
    "paused": "$text-warning",
    "budget": "$text-warning",
    "failed": "$text-error",
    "pausing": "$text-warning",
    "stopping": "$text-warning",
    "busy": "$text-warning",
    "hung": "$text-error",
    "interrupted": "$text-error",
}


def status_symbol(status: Status) -> str:
    """The symbol alone, one cell."""
    return _SYMBOLS[status]


def status_label(status: Status) -> str:
    """`● running`: the symbol, which takes one cell, and the status."""
    return f"{_SYMBOLS[status]} {status}"


def status_colour(status: Status) -> str:
    """The theme's colour of a status; the plain one where nothing needs attention."""
    return _COLOURS.get(status, "$foreground")
