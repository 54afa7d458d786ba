"""Every screen there is, made over any store: what is pictured, attacked and pressed through."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from textual.content import Content
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Static

from tests.tui.exhibit import until
from tui import screens
from tui.app.app import Preceptor
from tui.screens.boxes import Confirm, HelpScreen, TextBox
from tui.screens.catalogue import (
    BenchmarksScreen,
    CatalogueScreen,
    DoctorScreen,
    SettingsScreen,
    TeachersScreen,
)
from tui.screens.command import (
    CommandScreen,
    MeasureScreen,
    OutputScreen,
    TrainingFormScreen,
    TrainingScreen,
)
from tui.screens.compare import CompareScreen
from tui.screens.fields import EXPORT_RUN
from tui.screens.forms import FormScreen, LabelScreen, LaunchScreen, ResumeScreen, StudyFormScreen
from tui.screens.leaderboard import LeaderboardScreen
from tui.screens.panes import JobScreen, PaneScreen, ReadingScreen
from tui.screens.program import DecisionScreen, ProgramScreen, ReflectionScreen, RolloutScreen
from tui.screens.run import RunScreen
from tui.screens.runs import RunsScreen
from tui.screens.study import StudyScreen
from tui.widgets.cases import order_cases
from tui.widgets.form import begin_with

Kind = type[Screen[Any]]

BASES: frozenset[Kind] = frozenset(
    {PaneScreen, ReadingScreen, JobScreen, CatalogueScreen, FormScreen}
)
"""What screens are made of; none of them is shown itself."""


@dataclass(frozen=True, slots=True)
class Place:
    """What the screens are about: a run, a program of it, another run, a study, any text."""

    run: int
    program: str
    other: int
    study: int
    text: str = "a text"


MAKERS: dict[Kind, Callable[[Preceptor, Place], Screen[Any]]] = {
    RunsScreen: lambda app, at: RunsScreen(),
    RunScreen: lambda app, at: RunScreen(at.run),
    StudyScreen: lambda app, at: StudyScreen(at.study),
    CompareScreen: lambda app, at: CompareScreen((at.run, at.other)),
    ProgramScreen: lambda app, at: ProgramScreen(at.run, at.program),
    RolloutScreen: lambda app, at: RolloutScreen(at.run, at.program),
    DecisionScreen: lambda app, at: _decide(app, at),
    ReflectionScreen: lambda app, at: ReflectionScreen(at.run, _reflected(app, at), 0),
    LeaderboardScreen: lambda app, at: LeaderboardScreen(app.reader.run(at.run).spec.problem),
    TeachersScreen: lambda app, at: TeachersScreen(),
    BenchmarksScreen: lambda app, at: BenchmarksScreen(),
    DoctorScreen: lambda app, at: DoctorScreen(),
    SettingsScreen: lambda app, at: SettingsScreen(),
    LaunchScreen: lambda app, at: LaunchScreen(start=f"run:{at.run}/{at.program}"),
    StudyFormScreen: lambda app, at: StudyFormScreen(),
    ResumeScreen: lambda app, at: ResumeScreen(at.run, app.reader.run(at.run).spec.caps),
    LabelScreen: lambda app, at: LabelScreen(at.run, app.reader.run(at.run).label),
    CommandScreen: lambda app, at: CommandScreen(
        "export a run", ("export-run", str(at.run)), begin_with(EXPORT_RUN, output=at.text)
    ),
    MeasureScreen: lambda app, at: MeasureScreen(
        "tune", "jssp", program=f"run:{at.run}/{at.program}", output=at.text
    ),
    TrainingFormScreen: lambda app, at: TrainingFormScreen(at.text),
    OutputScreen: lambda app, at: OutputScreen(("export-run", at.text)),
    TrainingScreen: lambda app, at: TrainingScreen(("teachers", "train", at.text)),
    HelpScreen: lambda app, at: HelpScreen(("a run", "a screen")),
    TextBox: lambda app, at: TextBox(at.text, Content(at.text)),
    Confirm: lambda app, at: Confirm(f"Stop {at.text}?", "stop it", "keep running"),
}
"""How each screen is made, as the keys and the palette make it."""


def find_kinds() -> frozenset[Kind]:
    """The class of every screen in the rooms of screens, `BASES` left out."""
    for module in pkgutil.walk_packages(screens.__path__, f"{screens.__name__}."):
        import_module(module.name)
    found = (kind for kind in _below(Screen) if kind.__module__.startswith(screens.__name__))
    return frozenset(found) - BASES


def _below(kind: Kind) -> Iterator[Kind]:
    for one in kind.__subclasses__():
        yield one
        yield from _below(one)


def _decide(app: Preceptor, at: Place) -> Screen[Any]:
    """The decisions as a program's own screen lists them."""
    diagnostics = app.reader.candidate(at.run, at.program).diagnostics
    return DecisionScreen(at.run, at.program, order_cases(diagnostics))


def _reflected(app: Preceptor, at: Place) -> list[int]:
    """The generations of a run for which there are briefs."""
    return sorted({row.generation for row in app.reader.briefs(at.run)})


async def settle(pilot: Pilot[None], screen: Screen[Any]) -> None:
    """Wait until nothing is read, drawn or looked ahead at any more."""

    def is_busy() -> Iterator[bool]:
        yield any(not worker.is_finished for worker in pilot.app.workers)
        if isinstance(screen, FormScreen):
            yield str(screen.query_one("#forecast", Static).content) == "…"
        elif isinstance(screen, RunScreen):
            yield screen.snapshot is None

    await pilot.pause()
    await until(pilot, lambda: not any(is_busy()))
    await pilot.pause()
