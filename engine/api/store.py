"""Run stores as objects, and whole runs carried from one to another."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.api.run import Run
from engine.api.study import Study
from engine.domain.names import DEFAULT_DB
from engine.monitor.lookup import pick_run, pick_study
from engine.store.connection import update
from engine.store.reader import Reader
from engine.store.run_file import SUFFIX
from engine.store.transfer import export_run, import_run
from problems.errors import PreceptorError, UserError

__all__ = ["SUFFIX", "RunStore", "export_run", "import_run", "open_store", "pick_job", "update"]


@dataclass(frozen=True, slots=True, repr=False)
class RunStore:
    """The runs and studies of a file; it is read anew at every question.

    Example: `open_store("runs.db").run("latest").best`
    """

    path: Path

    def __repr__(self) -> str:
        try:
            runs = len(self.runs())
            studies = len(self.studies())
        except PreceptorError as error:
            return f"<run store {error}>"
        return f"<run store {self.path}: {runs} runs, {studies} studies>"

    def runs(self) -> tuple[Run, ...]:
        """All runs, newest first."""
        with Reader(self.path) as reader:
            return tuple(Run(self.path, row.number) for row in reader.runs())

    def run(self, number: int | str = "latest") -> Run:
        """One run, by default the newest. Raises UnknownName, UserError in an empty store."""
        return Run(self.path, pick_run(self.path, str(number)))

    def studies(self) -> tuple[Study, ...]:
        """All studies, newest first."""
        with Reader(self.path) as reader:
            return tuple(Study(self.path, row.number) for row in reader.studies())

    def study(self, word: int | str) -> Study:
        """A study by its number or its name. Raises UnknownName, UserError without any."""
        found = pick_study(self.path, f"study:{word}")
        assert found is not None
        return Study(self.path, found)


def pick_job(store: Path, word: str) -> Run | Study:
    """The run or the study that a word means: `3`, `latest`, `study:1`, a study's name.

    No word means the newest run at work, and where none is, the latest. Raises UserError,
    UnknownName.
    """
    study = pick_study(store, word)
    return Study(store, study) if study is not None else Run(store, pick_run(store, word))


def open_store(path: Path | str = DEFAULT_DB) -> RunStore:
    """The store of a file; one of an older version is brought up to date, a copy is kept.

    Raises UserError where there is no file, StoreForeign for one of another program, StoreError.
    """
    store = Path(path)
    if not store.exists():
        raise UserError(f"{store}: there is no such run store; start_run makes one")
    update(store)
    return RunStore(store)
