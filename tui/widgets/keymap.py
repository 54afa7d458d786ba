"""The keys: one table that feeds bindings, hints, the help screen and the manual.

The user's own are the table `[keys]` of preceptor.toml, `ACTION = "keys"`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from textual.actions import ActionParseResult
from textual.binding import Binding, BindingType

from engine.domain.status import ENDED, LIVE, Status
from engine.domain.text.toml_table import parse_toml
from problems.errors import UnknownName, UserError

Scope = Literal[
    "everywhere",
    "a screen",
    "panes",
    "a program",
    "a program in full",
    "a decision",
    "a rollout",
    "a reflection",
    "a command",
    "a run",
    "a study",
    "matrix",
    "the list",
    "runs",
    "a leaderboard",
    "comparing",
    "teachers",
    "sets",
    "a catalogue",
    "a list",
    "a table",
    "a sorted table",
    "population",
    "text",
    "pareto",
    "curve",
    "diff",
    "lineage",
    "events",
    "a form",
]


@dataclass(frozen=True, slots=True)
class Key:
    """One action: the keys that do it (Textual's names, separated by blanks) and where they work.

    `hint` is what the bottom line says: keys and a word; empty for what only the help names.
    """

    scope: Scope
    keys: str
    action: str
    about: str
    hint: str = ""

    @property
    def shown(self) -> str:
        """The keys as a person reads them."""
        return " ".join(map(_show, self.keys.split()))

    @property
    def name(self) -> str:
        """What preceptor.toml calls the action: `stop`, `turn_-1`; empty where none may."""
        if "{key}" in self.action or self.action == "command_palette":
            return ""
        return re.sub(r"[('\")]+", "_", self.action.rpartition(".")[2]).rstrip("_")

    @property
    def first_action(self) -> str:
        """What the first of its keys does."""
        return self.action.format(key=self.keys.split()[0])

    @property
    def title(self) -> str:
        """What the palette calls it, its verb first: `Export: write the program ...`."""
        verb = self.hint.partition(" ")[2]
        begins = not verb or self.about.startswith(verb)
        return self.about.capitalize() if begins else f"{verb.capitalize()}: {self.about}"


SHIPPED = (
    Key("everywhere", "?", "show_help", "this list of keys", "? help"),
    Key("everywhere", "ctrl+p", "command_palette", "every action, run and program by name"),
    Key("everywhere", "ctrl+l", "redraw", "paint the screen anew"),
    Key("everywhere", "ctrl+z", "suspend_process", "to the shell; fg comes back"),
    Key("everywhere", "q ctrl+c", "leave", "quit; a live run goes on without you", "q quit"),
    Key("a screen", "escape backspace", "back", "back to the previous screen", "Esc back"),
    Key("panes", "tab", "next_pane(1)", "next pane", "Tab pane"),
    Key("panes", "shift+tab", "next_pane(-1)", "previous pane"),
    Key("panes", "1 2 3 4 5 6", "pane({key})", "jump to a pane by its number"),
    Key("panes", "z", "zoom", "maximise the pane, and back", "z zoom"),
    Key("a program", "y", "copy", "copy the code (OSC 52; to a file when it is long)", "y copy"),
    Key("a program", "e", "export", "write the program to a stand-alone file", "e export"),
    Key("a program", "ctrl+e", "edit", "edit a copy of the code in $EDITOR"),
    Key("a program", "T", "measure('bench')", "test the program on other instance sets", "T test"),
    Key("a program", "U", "measure('tune')", "tune the constants of the program", "U tune"),
    Key("a program", "D", "measure('diagnose')", "diagnose the program, by any teacher"),
    Key("a program", "N", "start_from", "new run that starts from the program, too"),
    Key(
        "a program in full",
        "d",
        "decisions",
        "draw the decisions on which the teacher has spoken",
        "d draw",
    ),
    Key("a program in full", "w", "rollout", "walk through what it did, by instance", "w walk"),
    Key("a decision", "[ h left", "turn(-1)", "previous decision", "[/] decision"),
    Key("a decision", "] l right", "turn(1)", "next decision"),
    Key("a decision", "w", "rollout", "walk on from here, decision by decision", "w walk"),
    Key("a rollout", "[ h left", "step(-1)", "previous decision", "[/] decision"),
    Key("a rollout", "] l right", "step(1)", "next decision"),
    Key("a rollout", "{", "step(-10)", "ten decisions back", "{/} ten"),
    Key("a rollout", "}", "step(10)", "ten decisions on"),
    Key("a rollout", "< comma", "instance(-1)", "previous instance", "</> instance"),
    Key("a rollout", "> .", "instance(1)", "next instance"),
    Key("a reflection", "[ h left", "turn(-1)", "the generation before", "[/] gen"),
    Key("a reflection", "] l right", "turn(1)", "the generation after"),
    Key("a command", "x", "stop", "end the command", "x stop"),
    Key(
        "a run", "enter", "open", "the program in full: lineage, code, cases, prompt", "Enter open"
    ),
    Key("a run", "< comma", "turn(-1)", "the whole board a generation back", "</> gen"),
    Key("a run", "> .", "turn(1)", "a generation on, at last to the present"),
    Key("a run", "p", "pause", "pause the run until it is resumed", "p pause"),
    Key("a run", "x", "stop", "stop the run early, after confirmation", "x stop"),
    Key("a run", "r", "resume", "resume a paused or interrupted run", "r resume"),
    Key("a run", "m", "more", "more: raise caps, add generations, fork", "m more"),
    Key(
        "a run",
        "$",
        "spending",
        "dollars, tokens and gains by generation and by operator",
        "$ paid",
    ),
    Key(
        "a run",
        "i",
        "reflection",
        "the analyzer's prompt and reply, and what became of its briefs",
    ),
    Key("a run", "B", "announce", "tell of a new best: by bell, by notice (OSC 9), not at all"),
    Key("matrix", "enter", "select", "open the run under the cursor", "Enter open"),
    Key("matrix", "h left", "seed(-1)", "previous seed", "h/l seed"),
    Key("matrix", "l right", "seed(1)", "next seed"),
    Key("matrix", "v", "figure", "cost, selection cost, agreement, generation", "v figure"),
    Key("a study", "w", "winner", "the best program of the run under the cursor", "w winner"),
    Key("a study", "p", "pause", "pause the study until it is resumed", "p pause"),
    Key("a study", "x", "stop", "stop the study early, after confirmation", "x stop"),
    Key("a study", "r", "resume", "resume a paused or interrupted study", "r resume"),
    Key("a study", "< comma", "turn(-1)", "the study before", "</> study"),
    Key("a study", "> .", "turn(1)", "the study after"),
    Key("a list", "j down", "cursor_down", "next line"),
    Key("a list", "k up", "cursor_up", "previous line"),
    Key("a list", "g home", "first", "first line"),
    Key("a list", "G end", "last", "last line"),
    Key("a list", "pagedown", "page_down", "page down"),
    Key("a list", "pageup", "page_up", "page up"),
    Key(
        "a table",
        "/",
        "screen.filter",
        "filter by words, field:value, !not (Esc clears)",
        "/ filter",
    ),
    Key("a sorted table", "s", "sort", "sort by the next column", "s sort"),
    Key("a sorted table", "S", "reverse", "reverse the order"),
    Key("population", "a", "all", "all programs of the run, or only the population", "a all"),
    Key("pareto", "h left", "walk(-1)", "left along the front", "h/l front"),
    Key("pareto", "l right", "walk(1)", "right along the front"),
    Key("pareto", "+ =", "zoom_in", "zoom in on the selected program", "+/- zoom"),
    Key("pareto", "-", "zoom_out", "zoom out"),
    Key("pareto", "0", "fit", "fit all programs", "0 fit"),
    Key("curve", "c", "clock", "by generation, call, second, dollar", "c clock"),
    Key("diff", "o", "other", "compare with the next parent, then with the best", "o other"),
    Key("diff", "v", "split", "side by side, or unified", "v split"),
    Key("diff", "[", "hunk(-1)", "previous change", "[/] change"),
    Key("diff", "]", "hunk(1)", "next change"),
    Key("events", "enter", "select", "its program, or the event in full", "Enter open"),
    Key("events", "v", "select(True)", "the event in full", "v full"),
    Key("events", "f", "follow", "follow the newest event", "f follow"),
    Key("lineage", "enter", "select", "open the ancestor or child under the cursor", "Enter open"),
    Key("text", "/", "screen.filter", "find words in the text (Esc ends it)", "/ find"),
    Key("text", "n", "found(1)", "the next place of the words"),
    Key("text", "N", "found(-1)", "the place before"),
    Key("text", "V", "screen.page", "view the text in $PAGER"),
    Key("text", "j down", "scroll_down", "down"),
    Key("text", "k up", "scroll_up", "up"),
    Key("text", "g home", "scroll_home", "to the top"),
    Key("text", "G end", "scroll_end", "to the bottom"),
    Key("text", "pagedown", "page_down", "page down"),
    Key("text", "pageup", "page_up", "page up"),
    Key("runs", "enter", "select", "open the run, live or finished", "Enter open"),
    Key("runs", "space", "mark", "mark or unmark the run for a comparison", "Space mark"),
    Key("runs", "o", "group", "in groups by problem, by study, or in none", "o group"),
    Key("a leaderboard", "enter", "select", "the program in full", "Enter open"),
    Key("a catalogue", "enter", "select", "everything that is known about it", "Enter read"),
    Key("a run", "E", "export_run", "export the whole run to a file", "E file"),
    Key("comparing", "E", "export_results", "write plots, tables and a report", "E write"),
    Key("teachers", "v", "verify", "verify: measure its figures again", "v verify"),
    Key("teachers", "t", "train", "train it, and watch its validation", "t train"),
    Key("teachers", "i", "import", "import an official network", "i import"),
    Key("sets", "i", "import", "import instance sets from files", "i import"),
    Key("sets", "f", "fetch", "fetch the published set", "f fetch"),
    Key("sets", "T", "bench", "test solvers and programs on the set", "T test"),
    Key("the list", "n", "new", "a form for a new run, with an estimate", "n new"),
    Key("the list", "A", "new_study", "a form for a study of several arms, from its file"),
    Key("the list", "r", "resume", "resume a paused or interrupted run", "r resume"),
    Key("the list", "m", "more", "more: raise caps, add generations, fork", "m more"),
    Key("the list", "c", "compare", "compare the marked runs side by side", "c compare"),
    Key("the list", "t", "teachers", "the teachers and their measured costs", "t teachers"),
    Key("the list", "b", "benchmarks", "the instance sets and their best known results", "b sets"),
    Key("the list", "u", "studies", "the studies: arms by seeds, held-out sets", "u studies"),
    Key(
        "the list", "L", "leaderboard", "the best programs of the problem, over all runs", "L best"
    ),
    Key("the list", "l", "label", "label: rename it, note something, tag it", "l label"),
    Key("the list", "E", "export_run", "export the whole run to a file", "E file"),
    Key("the list", "I", "import_run", "import runs from another machine"),
    Key("the list", "X", "remove", "remove it, or the marked runs, for good, after confirmation"),
    Key("the list", "d", "doctor", "doctor: examine the installation", "d doctor"),
    Key("the list", "O", "settings", "options: the settings, and what holds", "O options"),
    Key("a form", "enter", "screen.start", "do what the form says", "Enter start"),
    Key("a form", "up", "choose(-1)", "previous known value", "↑/↓ value"),
    Key("a form", "down", "choose(1)", "next known value"),
    Key("a form", "tab", "app.focus_next", "next field", "Tab field"),
    Key("a form", "shift+tab", "app.focus_previous", "previous field"),
    Key("a form", "escape", "app.back", "back to the list", "Esc back"),
    Key("a form", "f1", "app.show_help", "this list of keys", "F1 help"),
    Key("a form", "ctrl+c", "app.leave", "quit", "^C quit"),
)
"""All keys as they are shipped; those of the cursor and of the mouse come with the widgets."""

KEYS: tuple[Key, ...] = SHIPPED
"""The keys in force: the user's own instead of shipped ones, once `use` was told of them."""


def use(table: tuple[Key, ...]) -> dict[str, str]:
    """Let a table be in force; returns its keys, divided by commas, by the ids of bindings."""
    global KEYS
    KEYS = table
    moved = (new for old, new in zip(SHIPPED, table, strict=True) if old.keys != new.keys)
    return {_id(key): ",".join(key.keys.split()) for key in moved}


CHANGING = frozenset(
    (
        *("new", "new_study", "start_from", "more", "start", "resume", "pause", "stop"),
        *("measure", "edit", "export", "export_run", "export_results", "import_run"),
        *("label", "remove"),
        *("verify", "train", "import", "fetch", "bench"),
    )
)
"""Names of the actions that change a run or a study, start a process or write a file.

A viewer that only reads refuses them, and no line of keys names them there.
"""

_SHOWN = {
    "f1": "F1",
    "escape": "Esc",
    "backspace": "Backspace",
    "tab": "Tab",
    "shift+tab": "S-Tab",
    "enter": "Enter",
    "space": "Space",
    "left": "←",
    "up": "↑",
    "down": "↓",
    "home": "Home",
    "end": "End",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "right": "→",
    "comma": ",",
}


def bindings(*scopes: Scope) -> list[BindingType]:
    """Textual's bindings of some scopes, one for every single key.

    A key that moves to another field goes first, or letters typed ahead would miss that field.
    """
    return [
        Binding(
            key,
            entry.action.format(key=key),
            entry.about,
            show=False,
            priority=entry.action.startswith("app.focus"),
            id=_id(entry),
        )
        for entry in SHIPPED
        if entry.scope in scopes
        for key in entry.keys.split()
    ]


def changing_actions() -> frozenset[str]:
    """The actions of the table that a viewer refuses which only reads."""
    return frozenset(key.action for key in KEYS if name_action(key.action) in CHANGING)


def name_action(action: str | ActionParseResult) -> str:
    """The name of an action without the node that has it and without its arguments."""
    if not isinstance(action, str):
        return action[1]
    return action.partition("(")[0].rpartition(".")[2]


def _show(key: str) -> str:
    """One of Textual's names for keys as a person reads it."""
    held, _, sign = key.rpartition("+")
    return f"^{sign.upper()}" if held == "ctrl" else _SHOWN.get(key, key)


def _id(key: Key) -> str:
    """By what Textual tells the bindings of an action from others."""
    return f"{key.scope} {key.action}"


def idle_actions(status: Status) -> frozenset[str]:
    """The actions that do nothing for a run of a status."""
    if status in ENDED:
        return frozenset({"pause", "stop"} | ({"resume"} if status == "done" else set()))
    if status in LIVE:
        halting = {"pause"} if status in ("pausing", "stopping") else set[str]()
        return frozenset({"resume", "remove"} | halting)
    return frozenset({"pause"})


def urgent_actions(status: Status) -> frozenset[str]:
    """The actions that continue a run whose status does not do so by itself."""
    if status in LIVE or status == "done":
        return frozenset()
    return frozenset({"more"} if status == "budget" else {"resume"})


def hints(
    scopes: Sequence[Scope],
    width: int,
    idle: frozenset[str] = frozenset(),
    urgent: frozenset[str] = frozenset(),
) -> list[Key]:
    """The keys worth naming in a line of `width` cells: `urgent` actions, then by scope.

    Actions that are `idle` now are left out, and those whose key does another thing in a scope
    before.

    Help and quitting are always among them; there is at most one key in nine cells, to stay
    readable. A form has keys of its own for both, since letters are text there.
    """
    general: Scope = "a form" if "a form" in scopes else "everywhere"
    always = [k for k in KEYS if k.scope == general and k.hint.endswith(("help", "quit"))]
    named = [key for key in KEYS if key.hint and key.action not in idle and key not in always]
    wanted = [key for scope in scopes for key in named if key.scope == scope]
    wanted.sort(key=lambda key: key.action not in urgent)
    chosen: list[Key] = []
    for key in wanted:
        both = [*chosen, key, *always]
        covered = any(key.keys.split()[0] in known.keys.split() for known in chosen)
        if not covered and measure(both) <= width and len(both) <= width // 9:
            chosen.append(key)
    return [*chosen, *always]


def measure(chosen: Iterable[Key]) -> int:
    """Cells that hints take, each with a blank on both sides."""
    return sum(len(key.hint) + 2 for key in chosen)


def scopes() -> list[Scope]:
    """All scopes in the order of the table."""
    return list(dict.fromkeys(key.scope for key in KEYS))


def document() -> str:
    """The table as Markdown, a row for every scope, for `docs/keys.md`."""
    rows = []
    for scope in scopes():
        actions = [
            f"{' '.join(f'`{word}`' for word in key.shown.split())} {key.about}"
            for key in SHIPPED
            if key.scope == scope
        ]
        rows.append(f"| {scope} | {'; '.join(actions)} |")
    return "\n".join(["| where | keys |", "|---|---|", *rows])


_KEY = re.compile(r"[!-+\--~]|[a-z][a-z0-9_]*(\+[a-z0-9_]+)*")
"""A sign that is typed, or a name such as `ctrl+x`, `f5`, `left`; a comma is named `comma`."""

_GENERAL = ("everywhere", "a screen", "panes")
"""Where keys work beside those of every screen."""

_BESIDE_FORMS = ("a form",)
"""Where letters are text: the general keys do not work there."""


def read_keys(file: Path) -> tuple[Key, ...]:
    """The table of keys with the user's own, the shipped one where the file names none.

    Raises UserError, with file and line, for an action that does not exist, for what is no key,
    and for a key with two meanings in one place; and as `parse_toml`.
    """
    if not file.is_file():
        return SHIPPED
    own = parse_toml(file).get("keys", {})
    if not isinstance(own, dict):
        raise UserError(f'{file}: [keys] is a table of ACTION = "keys"')
    names = {key.name for key in SHIPPED if key.name}
    for name, value in own.items():
        place = f"{file}:{_line_of(file, name)}"
        if name not in names:
            raise UserError(f"{place}: {UnknownName('action', name, sorted(names))}")
        words = value.split() if isinstance(value, str) else []
        if not words or not all(map(_KEY.fullmatch, words)):
            raise UserError(
                f'{place}: {name} wants keys such as "x" or "ctrl+x f5", not {value!r}'
            )
    table = tuple(_with(key, own.get(key.name)) for key in SHIPPED)
    _refuse_clashes(file, table, own)
    return table


def _with(key: Key, own: str | None) -> Key:
    """A key of the table on the keys of the user, its hint too."""
    if own is None:
        return key
    keys = " ".join(own.split())
    word = key.hint.partition(" ")[2]
    moved = replace(key, keys=keys)
    return replace(moved, hint=f"{moved.shown.split()[0]} {word}" if word else "")


def _refuse_clashes(file: Path, table: Sequence[Key], own: Iterable[str]) -> None:
    """Raises UserError for a key of the user's that has two meanings in one place."""
    for scope in scopes():
        places = {scope, *(() if scope in _BESIDE_FORMS else _GENERAL)}
        here = [key for key in table if key.scope in places]
        times = Counter(word for key in here for word in key.keys.split())
        for key in here:
            taken = [word for word in key.keys.split() if times[word] > 1]
            if taken and key.name in own:
                rival = next(k for k in here if k is not key and taken[0] in k.keys.split())
                raise UserError(
                    f"{file}:{_line_of(file, key.name)}: {taken[0]!r} is both {key.name} "
                    f"and {rival.name or rival.about} in {scope}; take another key"
                )


def _line_of(file: Path, name: str) -> int:
    """The line in which an entry of `[keys]` stands, that of the table where it is not found."""
    inside = False
    begin = 1
    for number, line in enumerate(file.read_text("utf-8").splitlines(), start=1):
        text = line.strip()
        if text.startswith("["):
            inside = text.replace(" ", "").startswith("[keys]")
            begin = number if inside else begin
        elif inside and text.partition("=")[0].strip().strip("\"'") == name:
            return number
    return begin
