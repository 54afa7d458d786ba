"""The keys: one table that feeds bindings, hints, the help screen and the manual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textual.binding import Binding

from engine.domain.status import ENDED, LIVE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textual.binding import BindingType

    from engine.domain.status import Status

Scope = Literal[
    "everywhere",
    "a screen",
    "panes",
    "a program",
    "a program in full",
    "a decision",
    "a reflection",
    "a command",
    "a run",
    "a study",
    "matrix",
    "the list",
    "runs",
    "a catalogue",
    "a list",
    "a table",
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
        return " ".join(_SHOWN.get(key, key) for key in self.keys.split())

    @property
    def title(self) -> str:
        """What the palette calls it, its verb first: `Export: write the program ...`."""
        verb = self.hint.partition(" ")[2]
        begins = not verb or self.about.startswith(verb)
        return self.about.capitalize() if begins else f"{verb.capitalize()}: {self.about}"


KEYS = (
    Key("everywhere", "?", "show_help", "this list of keys", "? help"),
    Key("everywhere", "ctrl+p", "command_palette", "every action, run and program by name"),
    Key("everywhere", "q ctrl+c", "leave", "quit; a live run goes on without you", "q quit"),
    Key("a screen", "escape backspace", "back", "back to the previous screen", "Esc back"),
    Key("panes", "tab", "next_pane(1)", "next pane", "Tab pane"),
    Key("panes", "shift+tab", "next_pane(-1)", "previous pane"),
    Key("panes", "1 2 3 4 5 6", "pane({key})", "jump to a pane by its number"),
    Key("panes", "z", "zoom", "maximise the pane, and back", "z zoom"),
    Key("a program", "y", "copy", "copy the code (OSC 52; to a file when it is long)", "y copy"),
    Key("a program", "e", "export", "write the program to a stand-alone file", "e export"),
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
    Key("a decision", "[ h left", "turn(-1)", "previous decision", "[/] decision"),
    Key("a decision", "] l right", "turn(1)", "next decision"),
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
    Key("population", "s", "sort", "sort by the next column", "s sort"),
    Key("population", "S", "reverse", "reverse the order"),
    Key("population", "a", "all", "all programs of the run, or only the population", "a all"),
    Key("pareto", "h left", "walk(-1)", "left along the front", "h/l front"),
    Key("pareto", "l right", "walk(1)", "right along the front"),
    Key("pareto", "+ =", "zoom_in", "zoom in on the selected program", "+/- zoom"),
    Key("pareto", "-", "zoom_out", "zoom out"),
    Key("pareto", "0", "fit", "fit all programs", "0 fit"),
    Key("curve", "c", "clock", "by generation, by call, by second", "c clock"),
    Key("diff", "o", "other", "compare with the next parent, then with the best", "o other"),
    Key("diff", "v", "split", "side by side, or unified", "v split"),
    Key("diff", "[", "hunk(-1)", "previous change", "[/] change"),
    Key("diff", "]", "hunk(1)", "next change"),
    Key("events", "f", "follow", "follow the newest event", "f follow"),
    Key("lineage", "enter", "select", "open the ancestor or child under the cursor", "Enter open"),
    Key("text", "j down", "scroll_down", "down"),
    Key("text", "k up", "scroll_up", "up"),
    Key("text", "g home", "scroll_home", "to the top"),
    Key("text", "G end", "scroll_end", "to the bottom"),
    Key("text", "pagedown", "page_down", "page down"),
    Key("text", "pageup", "page_up", "page up"),
    Key("runs", "enter", "select", "open the run, live or finished", "Enter open"),
    Key("runs", "space", "mark", "mark or unmark the run for a comparison", "Space mark"),
    Key("a catalogue", "enter", "select", "everything that is known about it", "Enter read"),
    Key("the list", "n", "new", "a form for a new run, with an estimate", "n new"),
    Key("the list", "r", "resume", "resume a paused or interrupted run", "r resume"),
    Key("the list", "m", "more", "more: raise caps, add generations, fork", "m more"),
    Key("the list", "c", "compare", "compare the marked runs side by side", "c compare"),
    Key("the list", "t", "teachers", "the teachers and their measured costs", "t teachers"),
    Key("the list", "b", "benchmarks", "the instance sets and their best known results", "b sets"),
    Key("the list", "u", "studies", "the studies: arms by seeds, held-out sets", "u studies"),
    Key("a form", "enter", "screen.start", "start the run and watch it", "Enter start"),
    Key("a form", "up", "choose(-1)", "previous known value", "↑/↓ value"),
    Key("a form", "down", "choose(1)", "next known value"),
    Key("a form", "tab", "app.focus_next", "next field", "Tab field"),
    Key("a form", "shift+tab", "app.focus_previous", "previous field"),
    Key("a form", "escape", "app.back", "back to the list", "Esc back"),
    Key("a form", "f1", "app.show_help", "this list of keys", "F1 help"),
    Key("a form", "ctrl+c", "app.leave", "quit", "^C quit"),
)
"""All keys; those of the cursor and of the mouse come with the widgets."""

_SHOWN = {
    "ctrl+p": "^P",
    "ctrl+c": "^C",
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
        )
        for entry in KEYS
        if entry.scope in scopes
        for key in entry.keys.split()
    ]


def idle_actions(status: Status) -> frozenset[str]:
    """The actions that do nothing for a run of a status."""
    if status in ENDED:
        return frozenset({"pause", "stop"} | ({"resume"} if status == "done" else set()))
    if status in LIVE:
        return frozenset({"resume"})
    return frozenset({"pause"})


def hints(scopes: Sequence[Scope], width: int, idle: frozenset[str] = frozenset()) -> list[Key]:
    """The keys worth naming in a line of `width` cells, those of the first scope first.

    Actions that are `idle` now are left out.

    Help and quitting are always among them; there is at most one key in nine cells, to stay
    readable. A form has keys of its own for both, since letters are text there.
    """
    general: Scope = "a form" if "a form" in scopes else "everywhere"
    always = [k for k in KEYS if k.scope == general and k.hint.endswith(("help", "quit"))]
    named = [key for key in KEYS if key.hint and key.action not in idle and key not in always]
    wanted = [key for scope in scopes for key in named if key.scope == scope]
    chosen: list[Key] = []
    for key in wanted:
        both = [*chosen, key, *always]
        if measure(both) <= width and len(both) <= width // 9:
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
        actions = [f"{_quoted(key)} {key.about}" for key in KEYS if key.scope == scope]
        rows.append(f"| {scope} | {'; '.join(actions)} |")
    return "\n".join(["| where | keys |", "|---|---|", *rows])


def _quoted(key: Key) -> str:
    return " ".join(f"`{word}`" for word in key.shown.split())
