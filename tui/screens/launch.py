"""The form for a new run: its fields, what it will be, and the command that says the same."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from textual import work
from textual.containers import Grid, Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static

from engine.domain.names import command
from problems.errors import PreceptorError, UserError
from tui.screens.panes import TOO_SMALL, shape_for
from tui.widgets.form.entry import FormEntry
from tui.widgets.form.launch_fields import FIELDS, build_request, typed_words
from tui.widgets.frame.hints import Hints
from tui.widgets.frame.titles import retitle

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.events import DescendantFocus, Resize
    from textual.timer import Timer

    from tui.screens.viewer import Viewer

PAUSE = 0.5
"""Seconds without a key after which the form is looked through."""


class LaunchScreen(Screen[None]):
    """Fields from the top to the bottom; a run is started as `preceptor run` starts it."""

    app: Viewer

    def __init__(self) -> None:
        super().__init__()
        self._waiting: Timer | None = None

    def compose(self) -> ComposeResult:
        """Header, form, what it amounts to, hints."""
        yield Static(Content(f" preceptor  new run in {self.app.reader.path}"), id="header")
        with Horizontal(id="body"):
            with Grid(id="form", classes="pane"):
                for field in FIELDS:
                    yield Static(field.name, classes="name")
                    yield FormEntry(field)
            with Vertical(id="estimate", classes="pane"):
                yield Static(id="about")
                yield Static(id="forecast")
                yield Static(id="command")
        yield Hints(id="hints")
        yield Static(TOO_SMALL, id="too-small")

    def on_mount(self) -> None:
        """Begin at the first field."""
        retitle(self.query_one("#form"), "new run")
        retitle(self.query_one("#estimate"), "what it will be")
        self.query_one(Hints).show(("a form",))
        self.query(FormEntry).first().focus()

    def on_resize(self, event: Resize) -> None:
        """Form and estimate beside each other where they fit."""
        shape = shape_for(event.size)
        for name in ("tiny", "single"):
            self.set_class(shape == name, name)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Say what may be typed here."""
        if isinstance(event.widget, FormEntry):
            self.query_one("#about", Static).update(Content(_explain(event.widget)))

    def on_input_changed(self, _: Input.Changed) -> None:
        """Another value: the command at once, the forecast when the typing rests."""
        typed = shlex.join(("run", *typed_words(self._values())))
        self.query_one("#command", Static).update(Content(command(typed, self.app.reader.path)))
        self.query_one("#forecast", Static).update(Content("…"))
        if self._waiting is not None:
            self._waiting.stop()
        self._waiting = self.set_timer(PAUSE, self._look_ahead)

    def action_start(self) -> None:
        """Start the run and watch it; what is wrong with it is told."""
        try:
            self.app.start(build_request(self._values()))
        except UserError as error:
            self.notify(str(error), severity="error", timeout=15)

    @work(exclusive=True, exit_on_error=False)
    async def _look_ahead(self) -> None:
        try:
            text = await self.app.look_ahead(build_request(self._values()))
            told = Content.assemble(("✓ ", "$text-success"), text.replace("\n", "\n✓ "))
        except PreceptorError as error:
            told = Content.assemble(("✗ ", "bold $text-error"), str(error))
        self.query_one("#forecast", Static).update(told)

    def _values(self) -> dict[str, str]:
        return {entry.field.name: entry.value for entry in self.query(FormEntry)}


def _explain(entry: FormEntry) -> str:
    known = entry.field.known
    values = f" ({', '.join(filter(None, known()))})" if known else ""
    return f"{entry.field.name}: {entry.field.about}{values}"
