"""What a screen asks of the application that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from textual.app import App

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.worker import Worker

    from engine.api.job import CommandWord
    from engine.api.resolve import Answering, RunRequest
    from engine.domain.specs.settings import Caps
    from engine.domain.status import Job
    from engine.domain.values import Candidate
    from engine.monitor import Reader
    from engine.monitor.objectives import Objectives


Measuring = Literal["bench", "tune", "diagnose"]
"""The commands that measure a program."""


class Viewer(App[None]):
    """The store to read, the time, and the orders that only an application can carry out.

    Screens are written against this class, so that they need not know the application itself.
    """

    reader: Reader
    objectives: Objectives
    clock: Callable[[], float]
    """The time in Unix seconds."""
    hertz: float
    """Looks at the store in a second."""
    refused: frozenset[str]
    """The actions that are refused here: those that change something, where it only reads."""
    layout: dict[str, str]
    """The pane that is shown alone, by the name of the screen's class; none of them for all."""

    def check_launch(self) -> None:
        """Leave when the engine that is waited for failed to start."""
        raise NotImplementedError

    def start(self, requests: Sequence[RunRequest]) -> Worker[None]:
        """Start runs and show the first, or say why not."""
        raise NotImplementedError

    def start_study(self, file: str, anew: bool) -> Worker[None]:
        """Start a study, or go on with it unless `anew`, and show it, or say why not."""
        raise NotImplementedError

    async def look_ahead_at_study(self, file: str) -> str:
        """What a study would do and cost. Raises PreceptorError."""
        raise NotImplementedError

    def start_from(self, run: int, candidate: Candidate) -> None:
        """Show the form for a new run that starts from a program, too."""
        raise NotImplementedError

    def ask_for_more(self, run: int) -> None:
        """Show the form by which a run goes on with more, or as another."""
        raise NotImplementedError

    def go_on(
        self, run: int, caps: Caps, fork: bool, answering: Answering, options: tuple[str, ...]
    ) -> Worker[None]:
        """Let a run go on with more, or as another, and show it, or say why not."""
        raise NotImplementedError

    def measure(self, kind: Measuring, run: int, candidate: Candidate) -> None:
        """Show the form that measures a program."""
        raise NotImplementedError

    def resume(self, job: Job) -> Worker[None]:
        """Let an engine go on with a run or a study and show it, or say why not."""
        raise NotImplementedError

    def order(self, job: Job, kind: CommandWord) -> None:
        """Leave an order for the engine of a run or a study, and say what comes of it."""
        raise NotImplementedError

    def ask_to_stop(self, job: Job) -> None:
        """Tell the engine of a run or a study to stop, if the user means it."""
        raise NotImplementedError

    def ask_for_label(self, run: int) -> None:
        """Show the form for a run's name, note and tags."""
        raise NotImplementedError

    def save_picture(self) -> None:
        """Write the screen as it is to a file."""
        raise NotImplementedError

    def label(self, run: int, name: str, note: str, tags: Sequence[str]) -> None:
        """Call a run so and go back. Raises UserError for what is no name or tag."""
        raise NotImplementedError

    def export_run(self, run: int) -> None:
        """Show the form that writes a whole run to a file."""
        raise NotImplementedError

    def ask_to_remove(self, runs: Sequence[int]) -> None:
        """Remove runs for good, if the user means it."""
        raise NotImplementedError

    def announce(self, text: str) -> None:
        """Tell of something as the user asked for: by the bell, by a notice, or not at all."""
        raise NotImplementedError

    def announce_otherwise(self) -> None:
        """Change how is told of something to the next way."""
        raise NotImplementedError

    def copy_program(self, run: int, candidate: Candidate) -> None:
        """Copy a program's code, or write it to a file when it is too long to be copied."""
        raise NotImplementedError

    async def export(self, run: int, id: str) -> str:
        """Export a program to the working directory; says where it is. Raises PreceptorError."""
        raise NotImplementedError

    async def look_ahead(self, request: RunRequest) -> str:
        """What a run would do and cost. Raises PreceptorError."""
        raise NotImplementedError
