"""Run stores as objects, and whole runs carried from one to another."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from engine.api.run import Run
from engine.api.study import Study
from engine.domain.names import DEFAULT_DB
from engine.domain.records import Label
from engine.domain.text.plain_text import clean
from engine.monitor.lookup import pick_run, pick_study
from engine.store.connection import is_whole, update
from engine.store.reader import Reader
from engine.store.run_file import SUFFIX
from engine.store.store import Store
from engine.store.transfer import export_run, import_run, import_store, remove_run, vacuum
from problems.errors import PreceptorError, UserError

__all__ = [
    "SUFFIX",
    "RunStore",
    "export_run",
    "import_run",
    "import_store",
    "is_store",
    "is_whole",
    "label_run",
    "open_store",
    "pick_job",
    "remove_run",
    "update",
    "vacuum",
]

_WORD = re.compile(r"[^\s:,/]{1,60}")
"""A name or a tag: one word, so that it can be typed and told from numbers, studies and files."""

_DATABASE = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True, repr=False)
class RunStore:
    """The runs and studies of a file; it is read again at every question.

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


def label_run(
    store: Path,
    run: int,
    name: str | None = None,
    note: str | None = None,
    add: Sequence[str] = (),
    drop: Sequence[str] = (),
) -> Label:
    """Give a run a name or a note, where not None, and add or drop tags; returns its label.

    Raises UnknownName for no such run, UserError for a name or tag that is no word, or taken.
    """
    with Store(store) as opened:
        rows = opened.runs()
        label = opened.run(run).label
        taken = {row.label.name for row in rows if row.number != run}
        if name:
            _refuse_name(name, taken)
        for tag in add:
            _refuse_word("tag", tag)
        tags = (tag for tag in (*label.tags, *add) if tag not in drop)
        label = replace(
            label,
            name=label.name if name is None else name,
            note=label.note if note is None else note,
            tags=tuple(dict.fromkeys(tags)),
        )
        opened.jobs.label_run(run, label)
    return label


def _refuse_name(name: str, taken: Collection[str]) -> None:
    _refuse_word("name", name)
    if name.isdecimal() or name == "latest":
        raise UserError(f"a run named {name} could not be told from others; take another name")
    if name in taken:
        raise UserError(f"another run is named {name}; take another name")


def _refuse_word(kind: str, text: str) -> None:
    if not _WORD.fullmatch(text) or clean(text) != text:
        raise UserError(f"a {kind} is one word of at most 60 signs without : , /, not {text!r}")


def is_store(file: Path) -> bool:
    """Whether a file begins like a database, and no recording does."""
    try:
        with file.open("rb") as opened:
            return opened.read(len(_DATABASE)) == _DATABASE
    except OSError:
        return False
