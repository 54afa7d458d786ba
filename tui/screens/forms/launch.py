"""The forms for a new run or study, and for a run that goes on with more or as another."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual import work

from tui.screens.forms.form import FormScreen
from tui.widgets.form.commands import STUDY
from tui.widgets.form.fields import (
    RESUME,
    RUN,
    begin_with,
    build_requests,
    read_answering,
    read_caps,
    read_options,
    typed_words,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from engine.domain.specs.settings import Caps


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
        """Start it, or go on with it."""
        self.app.start_study(values["file"].strip(), values["anew"].strip() == "yes")


class ResumeScreen(FormScreen):
    """A run goes on with higher caps, more generations, or as a fork; `caps` are those it has."""

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
        """As what it goes on."""
        read_caps(values)
        return f"a fork of run {self.run}" if _is_fork(values) else f"run {self.run} itself"

    def carry_out(self, values: Mapping[str, str]) -> None:
        """Let it go on; the engine of a run at work takes over raised caps."""
        caps, answering = read_caps(values), read_answering(values)
        self.app.go_on(self.run, caps, _is_fork(values), answering, read_options(values))


def _is_fork(values: Mapping[str, str]) -> bool:
    return values["fork"].strip() == "yes"
