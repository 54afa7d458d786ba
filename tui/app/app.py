"""The application of the screens: a viewer of one store that can come and go at any time.

It reads the store and leaves orders for engines, and never ends a run. What a screen starts is
started by the functions that commands and scripts call, in a thread beside the screen; an engine
is a process of its own, and so is a command that measures, which ends with its screen.
"""

from __future__ import annotations

import asyncio
import base64
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any, ClassVar

import textual
from rich.segment import Segment, Segments
from rich.text import Text
from textual import work
from textual.actions import ActionParseResult
from textual.app import SuspendNotSupported, SystemCommand
from textual.binding import BindingType
from textual.command import Provider
from textual.dom import DOMNode
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.filter import LineFilter
from textual.screen import Screen
from textual.worker import Worker

from engine.domain.names import short_name
from engine.domain.specs.settings import FILE, Caps
from engine.domain.status import Job
from engine.domain.text.plain_text import clean
from engine.domain.values import Candidate
from engine.monitor import Reader
from engine.monitor.event_stream import is_over
from engine.monitor.objectives import Objectives
from problems import ProblemRef
from problems.errors import PreceptorError
from tui.app import palette
from tui.app.palette import Palette
from tui.app.quiet_driver import QuietDriver
from tui.commands.viewing import (
    collect_less,
    is_read_only,
    is_served,
    keep_theme,
    kept_layout,
    pick_hertz,
    pick_theme,
)
from tui.screens.boxes import Confirm, HelpScreen
from tui.screens.command import CommandScreen, MeasureScreen
from tui.screens.fields import EXPORT_RUN
from tui.screens.forms import LabelScreen, LaunchScreen, ResumeScreen, StudyFormScreen
from tui.screens.panes import Measuring, PaneScreen, Viewer
from tui.screens.run import RunScreen
from tui.screens.runs import RunsScreen
from tui.screens.study import StudyScreen
from tui.widgets import keymap as keys
from tui.widgets.form import begin_with
from tui.widgets.frame import PLAIN_LINES, Hints
from tui.widgets.keymap import read_keys

if TYPE_CHECKING:
    from engine.api.job import CommandWord
    from engine.api.resolve import Answering, RunRequest
    from engine.api.run import Run
    from engine.api.study import Study

    Begin = Callable[[Callable[[Run], None]], Run | Study]
    """Starts an engine; what it is given hears of a run that is booked before that."""

CLIPBOARD_LIMIT = 74_994
"""Bytes of base64 that terminals take in one sequence; longer ones are dropped by some."""

BELL = "\x07"


def fits_clipboard(text: str) -> bool:
    """Whether a text is short enough to be copied by OSC 52."""
    return len(_encoded(text)) <= CLIPBOARD_LIMIT


def copy_sequence(text: str) -> str:
    """The sequence that copies a text: OSC 52."""
    return f"\x1b]52;c;{_encoded(text)}{BELL}"


def notice_sequence(text: str) -> str:
    """The sequence by which a terminal shows a text as a notice of the desktop: OSC 9."""
    return f"\x1b]9;{clean(text)}{BELL}"


def through_tmux(sequence: str) -> str:
    """The sequence wrapped so that tmux hands it on to the terminal outside.

    tmux by default drops a program's own OSC 52; it needs `allow-passthrough on` for this one.
    """
    escaped = sequence.replace("\x1b", "\x1b\x1b")
    return f"\x1bPtmux;{escaped}\x1b\\"


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode("ascii")


READING = "this viewer only reads: nothing can be started, changed or written from here"

ALONE = 2.0
"""Seconds between looks of a served viewer for the server that it is shown by."""

ANNOUNCING = {
    "silence": "a new best is told of on the screen alone",
    "bell": "a new best rings the bell",
    "notice": "a new best is told of by a notice of the terminal (OSC 9)",
}
"""How a new best is announced, by name, and what the user reads of it."""


class Preceptor(Viewer):
    """The list of runs, one run, or one study; `clock` gives Unix seconds.

    `launched` is the engine of that run as it starts; should it fail, the screen closes.
    """

    CSS_PATH = "app.tcss"
    TITLE = "preceptor"
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("everywhere", "a screen")
    COMMAND_PALETTE_BINDING = "ctrl+p"
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {Palette}

    def __init__(
        self,
        db: Path,
        run: int | None = None,
        launched: Future[Any] | None = None,
        clock: Callable[[], float] = time.time,
        study: int | None = None,
    ) -> None:
        super().__init__()
        self._launched = launched
        self.reader = Reader(db)
        self.run_first = run
        self.study_first = study
        self.clock = clock
        self.hertz = pick_hertz()
        self.refused = keys.changing_actions() if is_read_only() else frozenset()
        self.animation_level = "none"
        self.objectives = Objectives()
        self._beginning = False
        self.announcing = "silence"
        self.layout: dict[str, str] = {}
        self.set_keymap(keys.use(read_keys(FILE)))

    def on_mount(self) -> None:
        """Begin with the run or the study that was named, or with the list."""
        if is_served():
            self.set_interval(ALONE, partial(self._leave_without, os.getppid()))
        if self.run_first is not None:
            self.push_screen(RunScreen(self.run_first))
        elif self.study_first is not None:
            self.push_screen(StudyScreen(self.study_first))
        else:
            self.push_screen(RunsScreen())

    def on_unmount(self) -> None:
        self.reader.close()

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Do what a key, a click or a line of the palette asks for, or say that it is refused."""
        if self.refused and keys.name_action(action) in keys.CHANGING:
            self.notify(READING, severity="warning")
            return True
        return await super().run_action(action, default_namespace, namespaces)

    def get_driver_class(self) -> type[Driver]:
        """Textual's driver; that of a terminal as one that repeats nothing."""
        usual = super().get_driver_class()
        return QuietDriver if usual is LinuxDriver else usual

    def action_redraw(self) -> None:
        if isinstance(self._driver, QuietDriver):
            self._driver.forget()
        self.screen.refresh(layout=True)

    def check_launch(self) -> None:
        """Quit when the engine that is waited for failed to start."""
        if self._launched and self._launched.done() and self._launched.exception():
            self.exit()

    def action_show_help(self) -> None:
        nodes = (self.screen.focused, self.screen)
        here = [scope for node in nodes for scope in getattr(node, "SCOPES", ())]
        self.push_screen(HelpScreen(here))

    def action_leave(self) -> None:
        self.exit()

    async def action_back(self) -> None:
        if isinstance(self.screen, PaneScreen) and self.screen.drop_search():
            return
        if len(self.screen_stack) > 2:
            self.pop_screen()
        elif isinstance(self.screen, RunScreen | StudyScreen):
            await self.switch_screen(RunsScreen())

    def start(self, requests: Sequence[RunRequest]) -> Worker[None]:
        """Start runs and show the first, or say why not."""
        from engine.api import run as runs  # it takes the engine's modules to load

        def begin(ready: Callable[[Run], None]) -> Run:
            first, *others = requests
            run = runs.start_run(first, self.reader.path, ready)
            for request in others:
                runs.start_run(request, self.reader.path)
            return run

        return self._begin(begin)

    def start_study(self, file: str, anew: bool) -> Worker[None]:
        """Start a study, or go on with it unless `anew`, and show it, or say why not."""
        from engine.api.study import start_study

        return self._begin(lambda _: start_study(file, self.reader.path, anew))

    def start_from(self, run: int, candidate: Candidate) -> None:
        """Show the form for a new run that starts from a program, too."""
        problem = self.reader.run(run).spec.problem
        start = f"run:{run}/{candidate.id}"
        self.push_screen(
            LaunchScreen(problem=problem.name, start=start, options=_problem_options(problem))
        )

    def ask_for_more(self, run: int) -> None:
        """Show the form by which a run continues with more, or as another."""
        self.push_screen(ResumeScreen(run, self.reader.run(run).spec.caps))

    def go_on(
        self, run: int, caps: Caps, fork: bool, answering: Answering, options: tuple[str, ...]
    ) -> Worker[None]:
        """Let a run continue with more, or as another, and show it, or say why not."""
        from engine.api.run import Run

        handle = Run(self.reader.path, run)
        return self._begin(lambda ready: handle.resume(caps, fork, ready, answering, options))

    def measure(self, kind: Measuring, run: int, candidate: Candidate) -> None:
        """Show the form that measures a program, on the set of its run at first."""
        spec = self.reader.run(run).spec
        options = _problem_options(spec.problem)
        design = spec.settings.design
        begins = {"set": design, "options": options}
        if kind == "tune":
            tuned = shlex.join([f"design={design}"] if design else [])
            begins = {"options": " ".join(filter(None, (options, tuned)))}
            begins["output"] = f"run{run}_{candidate.id}_tuned.py"
        program = f"run:{run}/{candidate.id}"
        self.push_screen(MeasureScreen(kind, spec.problem.name, program=program, **begins))

    def ask_to_stop(self, job: Job) -> None:
        """Tell the engine of a run or a study to stop, if the user means it.

        Without an engine it is marked as stopped.
        """
        question = f"Stop {job}? Pending calls are recorded, then the engine ends."
        confirm = Confirm(question, "stop it", "keep running")
        if is_over(self.reader.job(job)):
            question = f"No engine is at work on {job}. Mark it as stopped?"
            confirm = Confirm(question, "mark as stopped", "leave it as it is")
        self.push_screen(confirm, lambda yes: self.order(job, "stop") if yes else None)

    def page(self, text: str) -> None:
        """Show a text in the user's own pager, until it is left."""
        self._hand_over(("PAGER",), "less", text=text)

    def edit(self, run: int, candidate: Candidate) -> None:
        """Open a copy of a program in the user's own editor; one that was changed is kept."""
        file = Path(tempfile.mkdtemp(prefix="preceptor-")) / program_file(run, candidate.id).name
        file.write_text(candidate.program.code, "utf-8")
        self._hand_over(("VISUAL", "EDITOR"), "vi", str(file))
        if file.is_file() and file.read_bytes() != candidate.program.code.encode():
            self.notify(f"what you changed is kept in {file}", timeout=10)
        else:
            rmtree(file.parent)

    def _hand_over(self, names: Sequence[str], usual: str, *words: str, text: str = "") -> None:
        """Give the terminal to the program that one of these variables names, until it ends."""
        named = next(filter(None, map(os.environ.get, names)), usual)
        try:
            with self.suspend():
                subprocess.run(
                    [*shlex.split(named), *words], check=False, input=text.encode() or None
                )
        except (OSError, ValueError, SuspendNotSupported) as error:
            self.notify(f"{named} (${names[-1]}) cannot be shown: {error}", severity="warning")

    def ask_for_label(self, run: int) -> None:
        """Show the form for a run's name, note and tags."""
        self.push_screen(LabelScreen(run, self.reader.run(run).label))

    def label(self, run: int, name: str, note: str, tags: Sequence[str]) -> None:
        """Call a run so and go back. Raises UserError for what is no name or tag."""
        from engine.api.store import label_run

        before = self.reader.run(run).label.tags
        add = [tag for tag in tags if tag not in before]
        drop = [tag for tag in before if tag not in tags]
        label_run(self.reader.path, run, name, note, add, drop)
        self.pop_screen()

    def export_run(self, run: int) -> None:
        """Show the form that writes a whole run to a file."""
        fields = begin_with(EXPORT_RUN, output=f"run{run}.run")
        self.push_screen(CommandScreen("export a run", ("export-run", str(run)), fields))

    def ask_to_remove(self, runs: Sequence[int]) -> None:
        """Remove runs for good, if the user means it."""
        whose = f"run{'s' if len(runs) > 1 else ''} {', '.join(map(str, runs))}"
        question = f"Remove {whose} for good? Programs, prompts and replies go with it."
        confirm = Confirm(question, "remove", "keep")

        def answer(yes: bool | None) -> None:
            if yes:
                self._remove(runs)

        self.push_screen(confirm, answer)

    @work(exit_on_error=False)
    async def _remove(self, runs: Sequence[int]) -> None:
        """Remove runs in a thread; one that must stay is named, and those behind it stay, too."""
        from engine.api.store import remove_run

        for run in runs:
            try:
                await asyncio.to_thread(remove_run, self.reader.path, run)
            except PreceptorError as error:
                self.notify(str(error), severity="error", timeout=15)
                return
            self.notify(f"removed run {run}; preceptor vacuum gives its space back")

    def order(self, job: Job, kind: CommandWord) -> None:
        """Leave an order for the engine of a run or a study, and say what comes of it."""
        try:
            sent = self._handle(job).order(kind)
        except PreceptorError as error:
            self.notify(str(error), severity="warning")
            return
        comes = "is stopped" if sent is None else f"will {kind} once pending calls are recorded"
        self.notify(f"{job} {comes}")

    def resume(self, job: Job) -> Worker[None]:
        """Let an engine continue a run or a study and show it, or say why not."""
        handle = self._handle(job)
        return self._begin(lambda ready: _resume(handle, ready))

    def _handle(self, job: Job) -> Run | Study:
        """A run or a study as the object that commands use, too."""
        from engine.api.run import Run  # it takes the engine's modules to load
        from engine.api.study import Study

        return (Run if job.kind == "run" else Study)(self.reader.path, job.number)

    @work(group="begin", exit_on_error=False)
    async def _begin(self, begin: Begin) -> None:
        """Start an engine in a thread; its run is shown as soon as it is booked."""
        if self._beginning:  # a second Enter is no second run
            return
        self._beginning = True
        self.notify("starting …", timeout=2)
        loop = asyncio.get_running_loop()
        booked: asyncio.Queue[Run] = asyncio.Queue()

        def tell(run: Run) -> None:
            loop.call_soon_threadsafe(booked.put_nowait, run)

        engine = asyncio.create_task(asyncio.to_thread(begin, tell))
        first = asyncio.create_task(booked.get())
        try:
            await asyncio.wait((first, engine), return_when=asyncio.FIRST_COMPLETED)
            await self._show_job((first.result() if first.done() else await engine).job)
            self._beginning = False
            await engine
        except PreceptorError as error:
            self.notify(str(error), severity="error", timeout=15)
        finally:
            first.cancel()
            self._beginning = False

    async def _show_job(self, job: Job) -> None:
        screen = RunScreen(job.number) if job.kind == "run" else StudyScreen(job.number)
        below = self.screen_stack[-2]
        form = isinstance(self.screen, LaunchScreen | StudyFormScreen | ResumeScreen)
        if form and isinstance(below, RunScreen) and Job("run", below.run) == job:
            self.pop_screen()  # the form was opened from there
        elif form:
            await self.switch_screen(screen)
        elif isinstance(self.screen, RunsScreen):
            await self.push_screen(screen)

    def save_picture(self) -> None:
        """Write the screen as it is to an SVG in the working directory."""
        try:
            file = Path(self.save_screenshot(path=".")).name
        except OSError as error:
            self.notify(f"no picture: {error}", severity="error")
        else:
            self.notify(f"wrote {file}", timeout=10)

    def copy_program(self, run: int, candidate: Candidate) -> None:
        """Copy a program's code, or write it to a file when a terminal would not take it."""
        code = candidate.program.code
        lines = code.count("\n") + 1
        if fits_clipboard(code):
            self.copy_to_clipboard(code)
            self.notify(f"copied {lines} lines; if your clipboard is empty, e writes a file")
            return
        if self.refused:
            self.notify(READING, severity="warning")
            return
        file = program_file(run, candidate.id)
        file.write_text(code, "utf-8")
        self.notify(f"too long to copy: wrote {lines} lines to {file}")

    async def export(self, run: int, id: str) -> str:
        """Export a program to the working directory; says where it is. Raises PreceptorError."""
        from engine.api.run import Run

        file = program_file(run, id)
        await asyncio.to_thread(Run(self.reader.path, run).export, file, id)
        return f"{file}: program {id} of run {run}"

    async def look_ahead(self, request: RunRequest) -> str:
        """What a run would do and cost. Raises PreceptorError."""
        from engine.api.forecast import forecast
        from tui.text.pages.measures import page_forecast

        return page_forecast(await asyncio.to_thread(forecast, request, self.reader.path))

    async def look_ahead_at_study(self, file: str) -> str:
        """What a study would do and cost. Raises PreceptorError."""
        from engine.api.forecast import forecast_study
        from tui.text.pages.study import page_study_forecast

        found = await asyncio.to_thread(forecast_study, Path(file), self.reader.path)
        return page_study_forecast(found)

    def copy_to_clipboard(self, text: str) -> None:
        """Copy by OSC 52, through tmux too; what is pasted elsewhere is clean."""
        text = clean(text)
        super().copy_to_clipboard(text)
        if "TMUX" in os.environ:
            self._write(through_tmux(copy_sequence(text)))

    def announce(self, text: str) -> None:
        """Tell of something by the bell or by a notice, if the user asked for one of them."""
        if self.announcing == "bell":
            self._write(BELL)
        elif self.announcing == "notice":
            told = notice_sequence(text)
            self._write(through_tmux(told) if "TMUX" in os.environ else told)

    def announce_otherwise(self) -> None:
        """From silence to the bell, from there to a notice, and back."""
        ways = tuple(ANNOUNCING)
        self.announcing = ways[(ways.index(self.announcing) + 1) % len(ways)]
        self.notify(ANNOUNCING[self.announcing])

    def _write(self, sequence: str) -> None:
        """Send a sequence to the terminal, if there is one."""
        if self._driver is not None:
            self._driver.write(sequence)

    def notify(self, message: str, **how: Any) -> None:
        """Say something; text from outside is clean in it, and no markup."""
        super().notify(clean(message), **{**how, "markup": False})

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Those of Textual, and last the one that no text from outside gets past."""
        return [*super().get_line_filters(), PLAIN_LINES]

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """What the palette offers: the keys' actions, the runs, the programs of a run, themes."""
        yield from palette.offer(self, screen)

    def _fatal_error(self) -> None:
        """A crash without local variables: they may hold secrets; its message is clean.

        What was foreseen, such as a damaged store, is shown in one line.
        """
        from rich.traceback import Traceback

        error = sys.exc_info()[1]
        if isinstance(error, PreceptorError):
            self.panic(Text(clean(f"preceptor: {error}"), no_wrap=True, overflow="ignore"))
            return
        told = self.console.render(Traceback(show_locals=False, suppress=[textual]))
        self.panic(Segments(Segment(clean(text), style) for text, style, _ in told))

    async def on_hints_clicked(self, event: Hints.Clicked) -> None:
        """Do what the key would have done that was clicked on."""
        if event.key is None:
            self.action_command_palette()
            return
        for node, scope in palette.places(self, self.screen):
            if scope == event.key.scope:
                await node.run_action(event.key.first_action)
                return

    def _leave_without(self, server: int) -> None:
        """Leave once the process of the server is gone: no page would say that it was closed."""
        if os.getppid() != server:
            self.exit()


def _resume(handle: Run | Study, ready: Callable[[Run], None]) -> Run | Study:
    """Let an engine continue a run, which `ready` receives before that, or a study."""
    from engine.api.run import Run

    return handle.resume(ready=ready) if isinstance(handle, Run) else handle.resume()


def _problem_options(problem: ProblemRef) -> str:
    """The options that make a problem the variant that it is, as a form holds them."""
    words = (f"{short_name(problem.name)}.{name}={value}" for name, value in problem.options)
    return shlex.join(words)


def program_file(run: int, id: str) -> Path:
    """Where a program is written: the working directory."""
    return Path(f"run{run}_{id}.py")


def open_screen(
    db: Path,
    run: int | None = None,
    launched: Future[Any] | None = None,
    study: int | None = None,
) -> None:
    """Open the screen of a run or of a study, or the list of runs; returns when the user has left.

    `launched` is the engine of that run as it starts. Raises what kept it from starting.
    """
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup's screen too ends with its terminal
    collect_less()
    app = Preceptor(db, run, launched, study=study)
    first = app.theme = pick_theme(app.available_themes, app.theme)
    with kept_layout(app.layout):
        app.run()
    if app.theme != first and not is_read_only():
        keep_theme(app.theme)
    if launched is not None:
        launched.result()
