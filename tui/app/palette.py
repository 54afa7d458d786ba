"""The palette: every action, screen, run, study and program by name, the verb first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from textual.app import SystemCommand
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.screen import Screen

from engine.domain.names import name_variant
from engine.domain.records import RunRow, StudyRow
from engine.domain.status import Job
from engine.monitor import status
from tui.screens.catalogue import BenchmarksScreen, DoctorScreen, SettingsScreen, TeachersScreen
from tui.screens.command import CommandScreen
from tui.screens.fields import IMPORT_RUN, IMPORT_SETS, IMPORT_TEACHER
from tui.screens.forms import LaunchScreen, StudyFormScreen
from tui.screens.leaderboard import LeaderboardScreen
from tui.screens.panes import PaneScreen, Viewer
from tui.screens.run import RunScreen
from tui.screens.runs import RunsScreen
from tui.screens.study import StudyScreen
from tui.widgets import keymap as keys

SYNONYMS = {
    "compare": "versus against side by side",
    "copy": "yank clipboard",
    "diagnose": "explain teacher agreement",
    "doctor": "health check versions install",
    "export": "write save file download picture screenshot",
    "extend": "more raise cap generations continue fork",
    "filter": "search find",
    "find": "search filter",
    "import": "load read add",
    "label": "rename name note tag comment",
    "new": "start launch begin create",
    "open": "show watch attach view",
    "pause": "halt wait suspend",
    "quit": "exit leave close detach",
    "rank": "leaderboard best top winners",
    "remove": "delete drop erase",
    "resume": "continue go on restart",
    "runs": "list home",
    "sets": "data instances benchmarks",
    "settings": "options configure preferences",
    "stop": "end cancel abort kill terminate",
    "teachers": "train verify policies networks",
    "test": "bench benchmark measure evaluate",
    "theme": "colours colors dark light",
    "tune": "optimise constants calibrate",
}
"""Other words for a verb, for those who look for them."""


class Palette(Provider):
    """Finds what the application offers by its title, or by another word for its verb."""

    async def startup(self) -> None:
        """Collect what is offered once: the store does not change while a word is typed."""
        offers = self.app.get_system_commands(self.screen)
        self._offers = list({offer.title: offer for offer in offers}.values())

    async def discover(self) -> Hits:
        """What is offered before anything is typed."""
        for title, about, act, shown in sorted(self._offers, key=lambda offer: offer.title):
            if shown:
                yield DiscoveryHit(_line(Content(title), about), act, title)

    async def search(self, query: str) -> Hits:
        """What fits some words."""
        matcher = self.matcher(query)
        for title, about, act, _ in self._offers:
            score = matcher.match(title)
            if score > 0:
                yield Hit(score, _line(matcher.highlight(title), about), act, title)
            elif is_meant(query, title):
                yield Hit(0.1, _line(Content(title), about), act, title)


def _line(title: Content, about: str) -> Content:
    """An offer in one line: what it does, then its keys or what it is about."""
    return Content.assemble(title, (f"  {about}", "$text-muted")) if about else title


def is_meant(query: str, title: str) -> bool:
    """Whether every word begins a word of the title, or one that says the same as its verb."""
    words = title.lower().replace(":", " ").split()
    known = [*words, *SYNONYMS.get(words[0], "").split()] if words else []
    return all(any(one.startswith(word) for one in known) for word in query.lower().split())


def offer(app: Viewer, screen: Screen[object]) -> Iterable[SystemCommand]:
    """The actions of the keys here, the screens, the runs and studies, the programs of a run."""
    yield from _offer_keys(app, screen)
    yield from _offer_screens(app)
    for row in app.reader.runs():
        yield from _offer_run(app, row, screen)
    for study in app.reader.studies():
        job = Job("study", study.number)
        yield from _offer_job(app, job, study, study.name, partial(StudyScreen, study.number))
    if isinstance(screen, RunScreen) and screen.snapshot is not None:
        for member in screen.snapshot.members:
            choose = partial(screen.select, member.place)
            about = f"{member.operator}, generation {member.generation}"
            yield SystemCommand(f"Program {member.id}", about, choose, discover=False)


def places(app: Viewer, screen: Screen[object]) -> Iterator[tuple[Any, keys.Scope]]:
    """Where keys work now, and whose they are: the pane with the focus, the screen, all."""
    general = ("panes", *screen.TAKES) if isinstance(screen, PaneScreen) else ()
    for scope in getattr(screen.focused, "SCOPES", ()):
        yield screen.focused, scope
    for scope in (*getattr(screen, "SCOPES", ()), *general):
        yield screen, scope
    yield app, "everywhere"


def _offer_keys(app: Viewer, screen: Screen[object]) -> Iterable[SystemCommand]:
    """Every action of the screen and of the pane with the focus that can be done now."""
    idle = screen.idle() if isinstance(screen, PaneScreen) else frozenset[str]()
    for node, scope in places(app, screen):
        for key in (k for k in keys.KEYS if k.scope == scope):
            if key.action not in (*idle, *app.refused, "command_palette"):
                act = partial(node.run_action, key.first_action)
                yield SystemCommand(key.title, key.shown, act)


def _offer_screens(app: Viewer) -> Iterable[SystemCommand]:
    """The screens that are open from anywhere."""
    screens: tuple[tuple[str, type[Screen[None]]], ...] = (
        ("Runs: the list of all runs", RunsScreen),
        ("New run: a form, with an estimate", LaunchScreen),
        ("New study: several arms, from a file", StudyFormScreen),
        ("Teachers: who they are and what they reach", TeachersScreen),
        ("Sets: the instances and their best known results", BenchmarksScreen),
        ("Doctor: examine the installation", DoctorScreen),
        ("Settings: every option, and what holds", SettingsScreen),
    )
    for title, kind in screens:
        if not (app.refused and kind in (LaunchScreen, StudyFormScreen)):
            yield SystemCommand(title, "", partial(_open, app, kind))
    for ref in dict.fromkeys(row.spec.problem for row in app.reader.runs()):
        name = name_variant(ref, short=True)
        show = partial(_push, app, LeaderboardScreen, ref)
        yield SystemCommand(f"Rank the best programs of {name}", "", show, discover=False)
    yield SystemCommand("Theme: change the colours", "", app.action_change_theme)
    if not app.refused:
        yield from _offer_files(app)


def _offer_files(app: Viewer) -> Iterable[SystemCommand]:
    """What reads and writes files, whatever the screen."""
    forms = (
        ("Import runs from another machine", ("import",), IMPORT_RUN),
        ("Import instance sets from files", ("data", "import"), IMPORT_SETS),
        ("Import a teacher that others trained", ("teachers", "import"), IMPORT_TEACHER),
    )
    for title, words, fields in forms:
        show = partial(_push, app, CommandScreen, title.lower(), words, fields)
        yield SystemCommand(title, f"preceptor {' '.join(words)}", show)
    yield SystemCommand("Export a picture of this screen", "SVG", app.save_picture)


def _open(app: Viewer, kind: type[Screen[None]]) -> None:
    """Show a screen of a kind; not a second one over the first."""
    if not isinstance(app.screen, kind):
        app.push_screen(kind())


def _push(app: Viewer, make: Callable[..., Screen[None]], *of: object) -> None:
    app.push_screen(make(*of))


def _offer_run(app: Viewer, row: RunRow, screen: Screen[object]) -> Iterable[SystemCommand]:
    """A run to be opened, and what can be asked of it now."""
    number = row.number
    about = f"{row.spec.problem.name}, {row.spec.label}, seed {row.spec.seed}"
    offers: dict[str, Callable[[], object]] = {
        f"Export run {number} to a file": partial(app.export_run, number),
        f"Label run {number}: name, note, tags": partial(app.ask_for_label, number),
        f"Extend run {number}: caps, generations, fork": partial(app.ask_for_more, number),
        f"Remove run {number} for good": partial(app.ask_to_remove, [number]),
    }
    if app.refused:
        offers = {}
    if isinstance(screen, RunScreen) and screen.run != number:
        from tui.screens.compare import CompareScreen  # it takes the engine's modules to load

        against = partial(_push, app, CompareScreen, (screen.run, number))
        offers[f"Compare run {screen.run} with run {number}"] = against
    yield from _offer_job(app, Job("run", number), row, about, partial(RunScreen, number))
    for title, act in offers.items():
        yield SystemCommand(title, about, act, discover=False)


def _offer_job(
    app: Viewer, job: Job, row: RunRow | StudyRow, about: str, make: Callable[[], Screen[None]]
) -> Iterable[SystemCommand]:
    """A run or a study to be opened, paused, resumed, stopped, where that can be done now."""
    idle = keys.idle_actions(status(row, app.clock())) | app.refused
    offers: dict[str, Callable[[], object]] = {
        "stop": partial(app.ask_to_stop, job),
        "pause": partial(app.order, job, "pause"),
        "resume": partial(app.resume, job),
    }
    yield SystemCommand(f"Open {job}", about, partial(_push, app, make), discover=False)
    for verb, act in offers.items():
        if verb not in idle:
            yield SystemCommand(f"{verb.capitalize()} {job}", about, act, discover=False)
