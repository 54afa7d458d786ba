"""Every verb of the palette that is no key does what it says, wherever it is offered."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.command import CommandPalette
from textual.screen import Screen
from textual.worker import Worker

from engine.api.run import Run
from engine.api.study import Study
from engine.domain.status import Job
from engine.store.reader import Reader
from engine.store.store import Store
from tests.tui.every_screen import MAKERS, Kind, Place, settle
from tests.tui.exhibit import DONE, FAILED, LIVE, add_study, open_app
from tui.app import palette
from tui.app.app import Preceptor
from tui.screens.boxes import Confirm
from tui.screens.catalogue import BenchmarksScreen, DoctorScreen, SettingsScreen, TeachersScreen
from tui.screens.command import CommandScreen
from tui.screens.compare import CompareScreen
from tui.screens.forms import LabelScreen, LaunchScreen, ResumeScreen, StudyFormScreen
from tui.screens.leaderboard import LeaderboardScreen
from tui.screens.program import ProgramScreen
from tui.screens.run import RunScreen
from tui.screens.runs import RunsScreen
from tui.screens.study import StudyScreen

KINDS: tuple[Kind, ...] = (
    *(RunsScreen, RunScreen, StudyScreen, ProgramScreen, SettingsScreen, LabelScreen),
)
AT = Place(DONE, "p0013", FAILED, 1)


class Chosen:
    """What came of a choice: screens that were pushed, and what they were asked to answer."""

    def __init__(self, app: Preceptor) -> None:
        self.app = app
        self.pushed: list[tuple[Screen[Any], Any]] = []
        self.resumed: list[str] = []

    @property
    def screen(self) -> Any:
        """The screen that is shown: the one that was pushed, if one was."""
        return self.pushed[-1][0] if self.pushed else self.app.screen

    def note(self, screen: Screen[Any], then: Any) -> asyncio.Future[None]:
        """A screen is pushed, at once; `then` hears of its answer."""
        self.pushed.append((screen, then))
        mounted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        mounted.set_result(None)
        return mounted

    def forget(self) -> None:
        """The next choice."""
        self.pushed.clear()
        self.resumed.clear()

    def says_yes(self) -> bool:
        """Answer the question with yes, if one was asked."""
        question, answer = self.pushed[-1]
        answer(True)
        return isinstance(question, Confirm)


def shows(kind: type[Screen[Any]], **facts: Any) -> Callable[[Chosen, int], Any]:
    """A screen of a kind is shown, with the number of the title where a fact is `...`."""

    def holds(done: Chosen, number: int) -> bool:
        wanted = {name: number if value is ... else value for name, value in facts.items()}
        found = {name: getattr(done.screen, name) for name in facts}
        return type(done.screen) is kind and found == wanted

    return holds


def types(*words: str) -> Callable[[Chosen, int], Any]:
    """The form of a command is shown."""
    return lambda done, number: shows(
        CommandScreen, words=tuple(word.replace("N", str(number)) for word in words)
    )(done, number)


def orders(kind: str, job: str, asks: bool = False) -> Callable[[Chosen, int], Any]:
    """An order is left for an engine, after a question where the verb `asks`."""

    def holds(done: Chosen, number: int) -> bool:
        if asks:
            assert done.says_yes()
        folder = Path(f"{done.app.reader.path}.ctl") / job.replace("N", str(number))
        left = [file.read_text("utf-8") for file in folder.glob("*.json")]
        for file in folder.glob("*.json"):
            file.unlink()
        return len(left) == 1 and kind in left[0]

    return holds


def resumes(done: Chosen, number: int) -> bool:
    """An engine is started, once."""
    return len(done.resumed) == 1 and done.resumed[0].endswith(f" {number}")


def selects(screen: Any, number: int) -> bool:
    """The program is the one that all panes show."""
    return bool(screen.snapshot.at(screen.selected) is screen.snapshot.member(f"p{number:04d}"))


DOES: dict[str, Callable[[Chosen, int], Any]] = {
    "Runs: the list of all runs": shows(RunsScreen),
    "New run: a form, with an estimate": shows(LaunchScreen),
    "New study: several arms, from a file": shows(StudyFormScreen),
    "Teachers: who they are and what they reach": shows(TeachersScreen),
    "Sets: the instances and their best known results": shows(BenchmarksScreen),
    "Doctor: examine the installation": shows(DoctorScreen),
    "Settings: every option, and what holds": shows(SettingsScreen),
    "Rank the best programs of jssp": shows(LeaderboardScreen),
    "Theme: change the colours": shows(CommandPalette),
    "Import runs from another machine": types("import"),
    "Import instance sets from files": types("data", "import"),
    "Import a teacher that others trained": types("teachers", "import"),
    "Export a picture of this screen": lambda done, _: list(Path().glob("*.svg")),
    "Open run N": shows(RunScreen, run=...),
    "Open study N": shows(StudyScreen, study=...),
    "Stop run N": orders("stop", "N", asks=True),
    "Stop study N": orders("stop", "study-N", asks=True),
    "Pause run N": orders("pause", "N"),
    "Pause study N": orders("pause", "study-N"),
    "Resume run N": resumes,
    "Resume study N": resumes,
    "Export run N to a file": types("export-run", "N"),
    "Label run N: name, note, tags": shows(LabelScreen, run=...),
    "Extend run N: caps, generations, fork": shows(ResumeScreen, run=...),
    "Remove run N for good": lambda done, number: done.says_yes(),
    f"Compare run {DONE} with run N": lambda done, number: shows(
        CompareScreen, runs=(DONE, number)
    )(done, number),
    "Program N": lambda done, number: selects(done.app.screen, number),
}
"""What each verb does, by its title, the number of a run, a study or a program as N."""


CHOSEN_OF = {
    "Remove run N for good": FAILED,
    f"Compare run {DONE} with run N": LIVE,
    "Stop run N": LIVE,
    "Stop study N": 1,
}
"""Whose verb is chosen: what can be removed, what is at work; else the first one offered."""


@pytest.fixture(scope="module")
def built(exhibited: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The fixed store with two studies: one at work, one that can be resumed."""
    db = Path(shutil.copy(exhibited, tmp_path_factory.mktemp("studies")))
    add_study(db)
    with Store(db) as store:
        store.jobs.release(Job("study", add_study(db)), "paused")
    return db


@pytest.fixture(autouse=True)
def _two_studies(exhibit: Path, built: Path) -> None:
    """The store in the working folder is a copy of that one."""
    shutil.copy(built, exhibit)


@pytest.fixture
def done(exhibit: Path, monkeypatch: pytest.MonkeyPatch) -> Chosen:
    """What comes of choices: screens are noted instead of shown, and no engine begins."""
    chosen = Chosen(open_app(exhibit))

    def note(handle: Run | Study, *_: Any, **how: Any) -> Run | Study:
        chosen.resumed.append(str(handle.job))
        return handle

    monkeypatch.setattr(Run, "resume", note)
    monkeypatch.setattr(Study, "resume", note)
    return chosen


@pytest.mark.parametrize("kind", [RunsScreen, RunScreen, StudyScreen])
async def test_every_verb_does_what_it_says(
    kind: Kind, done: Chosen, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = done.app
    async with app.run_test(size=(80, 24)) as pilot:
        screen = MAKERS[kind](app, AT)
        await app.push_screen(screen)
        await settle(pilot, screen)
        with monkeypatch.context() as patch:
            patch.setattr(app, "push_screen", lambda new, then=None: done.note(new, then))
            for title, (number, act) in verbs(app).items():
                done.forget()
                result = act()
                if isinstance(result, Worker):
                    await result.wait()
                assert DOES[title](done, number), title
        await app.workers.wait_for_complete()
    with Reader(app.reader.path) as reader:
        assert FAILED not in {row.number for row in reader.runs()}


async def test_no_screen_offers_a_verb_that_nobody_tried(done: Chosen) -> None:
    app = done.app
    offered = set()
    async with app.run_test(size=(80, 24)) as pilot:
        for kind in KINDS:
            screen = MAKERS[kind](app, AT)
            await app.push_screen(screen)
            await settle(pilot, screen)
            offered |= set(verbs(app))
    assert offered == set(DOES), "a new verb goes into DOES"


def verbs(app: Preceptor) -> dict[str, tuple[int, Callable[[], Any]]]:
    """What is offered here beside the keys, by its title with N in it: whose, and what it does."""
    of_keys = {command.title for command in palette._offer_keys(app, app.screen)}
    found: dict[str, tuple[int, Callable[[], Any]]] = {}
    for command in app.get_system_commands(app.screen):
        if command.title not in of_keys:
            title = re.sub(r"(run|study|Program) p?\d+(?! with)", r"\1 N", command.title)
            number = int((re.findall(r"\d+", command.title) or ["0"])[-1])
            if title not in found or CHOSEN_OF.get(title) == number:
                found[title] = (number, command.callback)
    return dict(sorted(found.items(), key=lambda one: one[0].startswith("Remove")))
