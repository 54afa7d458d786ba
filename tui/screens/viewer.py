"""What a screen asks of the application that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import App

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.worker import Worker

    from engine.domain.values import Candidate
    from engine.monitor.objectives import Objectives
    from engine.store.reader import Reader


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
    export: Callable[[int, str], Awaitable[str]]
    """Exports a program of a run to a file; returns what was said. Raises WorldError."""
    look_ahead: Callable[[tuple[str, ...]], Awaitable[str]]
    """What `preceptor run WORDS` would do and cost. Raises WorldError."""

    def check_launch(self) -> None:
        """Quit when the engine that is waited for failed to start."""
        raise NotImplementedError

    def begin(self, *words: str) -> Worker[None]:
        """Start an engine by `run ...` or `resume ...` and show its run, or say why not."""
        raise NotImplementedError

    def copy_program(self, run: int, candidate: Candidate) -> None:
        """Copy a program's code, or write it to a file when it is too long to be copied."""
        raise NotImplementedError
