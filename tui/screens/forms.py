"""Forms: fields, what they amount to, and the command that says the same."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from textual import work
from textual.app import ComposeResult
from textual.containers import Grid, Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import DescendantFocus, Resize
from textual.geometry import Size
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Input, Static

from engine.domain.names import command
from engine.domain.records import Label
from engine.domain.specs.settings import Caps
from problems.errors import PreceptorError, UserError
from tui.commands.options import make_answering, read_caps, read_options
from tui.screens.fields import LABEL, RESUME, RESUMPTION, RUN, STUDY, build_requests
from tui.screens.panes import LOW, TOO_SMALL, Viewer, shape_for
from tui.widgets.form import FormEntry, FormField, begin_with, typed_words
from tui.widgets.frame import Hints, retitle

PAUSE = 0.5
"""Seconds without a key after which the form is looked through."""


class FormScreen(Screen[None]):
    """Fields from the top to the bottom; `words` are those of the command before the fields'.

    A subclass says in `look_ahead` what the values amount to, and does it in `carry_out`.
    """

    app: Viewer

    def __init__(self, title: str, words: Sequence[str], fields: Sequence[FormField]) -> None:
        super().__init__()
        self._title = title
        self.words = tuple(words)
        self.fields = tuple(fields)
        self._waiting: Timer | None = None
        self._entered: FormEntry | None = None

    def compose(self) -> ComposeResult:
        self._arrange(self.app.size)  # the first picture is as wide and as high as the terminal
        head = f" preceptor  {self._title} in {self.app.reader.path}"
        yield Static(Content(head), id="header")
        with Horizontal(id="body"):
            with Grid(id="form", classes="pane"):
                for field in self.fields:
                    yield Static(field.name, classes="name")
                    yield FormEntry(field)
            with Vertical(id="estimate", classes="pane"), VerticalScroll(can_focus=False):
                yield Static(id="about")
                yield Static(id="forecast")
                yield Static(id="command")
        yield Hints(id="hints")
        yield Static(TOO_SMALL, id="too-small")

    def commands(self, values: Mapping[str, str]) -> list[tuple[str, ...]]:
        """The words behind `preceptor` that say the same; of several commands, each."""
        return [(*self.words, *typed_words(self.fields, values))]

    async def look_ahead(self, values: Mapping[str, str]) -> str:
        """What the values amount to, a line each; empty for nothing to say.

        Raises PreceptorError for values that are wrong.
        """
        return ""

    def carry_out(self, values: Mapping[str, str]) -> None:
        """Do what the values say. Raises UserError for values that are wrong."""
        raise NotImplementedError

    def on_mount(self) -> None:
        retitle(self.query_one("#form"), self._title)
        retitle(self.query_one("#estimate"), "what it will be")
        self.query_one(Hints).show(("a form",))
        self.query(FormEntry).first().focus()
        self._tell()

    def on_resize(self, event: Resize) -> None:
        """Form and estimate side by side where they fit."""
        self._arrange(event.size)
        if self.focused is None and self._entered is not None and not self.has_class("tiny"):
            self._entered.focus()  # a terminal that was too small took the focus away

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        if isinstance(event.widget, FormEntry):
            self._entered = event.widget
            self.explain()

    def explain(self) -> None:
        """Say what may be typed where the focus is."""
        if self._entered is not None:
            field = self._entered.field
            known = f" ({', '.join(filter(None, field.known()))})" if field.known else ""
            told = Content(f"{field.name}: {field.about}{known}")
            self.query_one("#about", Static).update(told)

    def on_input_changed(self, _: Input.Changed) -> None:
        """Another value amounts to something else."""
        self._tell()

    def action_start(self) -> None:
        values = self.values()
        try:
            for field in self.fields:
                if field.required and not values[field.name].strip():
                    raise UserError(f"{field.name} is missing: {field.about}")
            self.carry_out(values)
        except UserError as error:
            self.notify(str(error), severity="error", timeout=15)

    def values(self) -> dict[str, str]:
        """What stands in the fields, by their names."""
        return {entry.field.name: entry.value for entry in self.query(FormEntry)}

    def _arrange(self, size: Size) -> None:
        shape = shape_for(size)
        for name in ("tiny", "single"):
            self.set_class(shape == name, name)
        self.set_class(size.height < LOW, "low")

    def _tell(self) -> None:
        """Tell the command at once, the forecast when the typing rests."""
        typed = map(shlex.join, self.commands(self.values()))
        told = "\n".join(command(words, self.app.reader.path) for words in typed)
        self.query_one("#command", Static).update(Content(told))
        self.query_one("#forecast", Static).update(Content("…"))
        if self._waiting is not None:
            self._waiting.stop()
        self._waiting = self.set_timer(PAUSE, self._look_ahead)

    @work(exclusive=True, exit_on_error=False)
    async def _look_ahead(self) -> None:
        values = self.values()
        try:
            text = await self.look_ahead(values)
            ticked = Content.assemble(("✓ ", "$text-success"), text.replace("\n", "\n✓ "))
            told = ticked if text else Content("")
        except PreceptorError as error:
            told = Content.assemble(("✗ ", "bold $text-error"), str(error))
        if values == self.values():  # else the typing went on, and another look will come
            self.query_one("#forecast", Static).update(told)


class LaunchScreen(FormScreen):
    """A new run, started as `preceptor run` starts it; `begins` are values at first, by name."""

    def __init__(self, **begins: str) -> None:
        super().__init__("new run", ("run",), begin_with(RUN, **begins))
        self.fields = tuple(
            replace(field, known=partial(self._with_local, field.known))
            if field.name in ("writer", "analyzer") and field.known
            else field
            for field in self.fields
        )
        self._local: tuple[str, ...] = ()

    def on_mount(self) -> None:
        """Look for model servers on this machine, too."""
        self._find_models()

    @work(thread=True, exit_on_error=False)
    def _find_models(self) -> None:
        from engine.api.resolve import local_writers  # it takes the engine's modules to load

        self._local = local_writers()
        self.app.call_from_thread(self.explain)

    def _with_local(self, known: Callable[[], tuple[str, ...]]) -> tuple[str, ...]:
        return (*known(), *self._local)

    def commands(self, values: Mapping[str, str]) -> list[tuple[str, ...]]:
        """One for each seed."""
        seeds = values["seed"].split() or [""]
        told = [{**values, "seed": seed} for seed in seeds]
        return [(*self.words, *typed_words(self.fields, one)) for one in told]

    async def look_ahead(self, values: Mapping[str, str]) -> str:
        """What the run will do and cost."""
        requests = build_requests(values)
        told = await self.app.look_ahead(requests[0])
        return told if len(requests) == 1 else f"{len(requests)} runs, each:\n{told}"

    def carry_out(self, values: Mapping[str, str]) -> None:
        """Start the run, or one for each seed."""
        self.app.start(build_requests(values))


class StudyFormScreen(FormScreen):
    """A study, started or gone on with as `preceptor study` does it."""

    def __init__(self) -> None:
        super().__init__("new study", ("study",), STUDY)

    async def look_ahead(self, values: Mapping[str, str]) -> str:
        """What the study will do and cost."""
        file = values["file"].strip()
        return await self.app.look_ahead_at_study(file) if file else ""

    def carry_out(self, values: Mapping[str, str]) -> None:
        """Start it, or continue it."""
        self.app.start_study(values["file"].strip(), values["new"].strip() == "yes")


class ResumeScreen(FormScreen):
    """Continues a run with higher caps or more generations, or as a fork; `caps` are its own."""

    def __init__(self, run: int, caps: Caps) -> None:
        known = {"max calls": caps.calls, "max tokens": caps.tokens, "max usd": caps.usd}
        fields = [
            replace(
                field, blank=field.blank if (cap := known.get(field.name)) is None else str(cap)
            )
            for field in RESUME
        ]
        super().__init__(f"run {run} goes on", ("resume", str(run)), fields)
        self.run = run

    async def look_ahead(self, values: Mapping[str, str]) -> str:
        """As what it continues."""
        fork = self._typed(values)["fork"]
        return f"a fork of run {self.run}" if fork else f"run {self.run} itself"

    def carry_out(self, values: Mapping[str, str]) -> None:
        """Let it continue; the engine of a run at work takes over raised caps."""
        typed = self._typed(values)
        answering = make_answering(typed)
        self.app.go_on(self.run, read_caps(typed), typed["fork"], answering, read_options(typed))

    def _typed(self, values: Mapping[str, str]) -> dict[str, Any]:
        return RESUMPTION.parse(typed_words(self.fields, values))


class LabelScreen(FormScreen):
    """What a run is called; `label` is what it is called now."""

    def __init__(self, run: int, label: Label) -> None:
        fields = begin_with(LABEL, name=label.name, note=label.note, tags=" ".join(label.tags))
        super().__init__(f"run {run}", ("label", str(run)), fields)
        self.run = run
        self.label = label

    def commands(self, values: Mapping[str, str]) -> list[tuple[str, ...]]:
        """What changes, as options of `label`."""
        told = [
            word
            for name, before in (("name", self.label.name), ("note", self.label.note))
            if values[name].strip() != before
            for word in (f"--{name}", values[name].strip())
        ]
        tags = values["tags"].split()
        told += [word for tag in tags if tag not in self.label.tags for word in ("--tag", tag)]
        told += [word for tag in self.label.tags if tag not in tags for word in ("--untag", tag)]
        return [(*self.words, *told)]

    def carry_out(self, values: Mapping[str, str]) -> None:
        """Call it so. Raises UserError for a name or a tag that is no word, or taken."""
        name, note = values["name"].strip(), values["note"].strip()
        self.app.label(self.run, name, note, values["tags"].split())
