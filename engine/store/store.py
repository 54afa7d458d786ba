"""Writing the run store: in transactions that are on disk when they return."""

from __future__ import annotations

import itertools
import sqlite3
from contextlib import AbstractContextManager, closing, suppress
from functools import cached_property
from pathlib import Path
from tempfile import gettempdir

from engine.store import connection as opening
from engine.store.jobs import Jobs
from engine.store.reader import Reader
from engine.store.search_log import SearchLog
from engine.store.study_log import StudyLog
from engine.store.transaction import alone, worded, writing
from problems.errors import StoreError, StoreLost


class Store(Reader):
    """A run store opened to write; makes the file, updates an older one, reads like a Reader.

    `jobs` books runs and studies and says who works on them; `search_log` keeps what a run does,
    `study_log` what a study does. Each of their methods is one transaction. Raises StoreForeign
    for a file that is not ours or newer and StoreError for whatever keeps it from being written
    (a full disk: free space, call again).
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._file = self._find()
        self.jobs = Jobs(self, self._writing)
        self.search_log = SearchLog(self, self._writing)
        self.study_log = StudyLog(self, self._writing)

    def close(self) -> None:
        """Fold the log into the file, so that the file alone is the store, and let go of it."""
        with suppress(StoreError):  # what is committed is safe in the log as well
            self.fold()
        with alone(self.path):
            super().close()

    def fold(self) -> bool:
        """Write the log back into the file and cut it to nothing; a reader may prevent either.

        Returns whether the file now holds everything. Raises StoreError.
        """
        with worded(self.path), alone(self.path):
            return opening.fold(self._db)

    def refuse_lost(self) -> None:
        """Raise StoreLost unless the path still leads to the file that is open here.

        What is written from then on still goes to the open file, and `rescue` keeps it.
        """
        if self._find() == self._file:
            return
        if (place := self._moved_to) is not None:
            what = f"was moved: continue with --db {place}"
        else:
            kind = "replaced" if self.path.exists() else "deleted"
            kept = self._refuge
            shown = kept.name if kept.parent == self.path.parent else str(kept)
            what = f"was {kind}: continue with --db {shown}"
        raise StoreLost(f"{self.path.name} {what}")

    def rescue(self) -> None:
        """Copy a file that was deleted or replaced to the place that `refuse_lost` names."""
        if self._find() != self._file and self._moved_to is None:
            with worded(self._refuge), closing(sqlite3.connect(self._refuge)) as copy:
                self._db.backup(copy)

    @cached_property
    def _moved_to(self) -> Path | None:
        """Where the open file lies now, None if nowhere, or where the system cannot tell."""
        descriptors = Path("/proc/self/fd")
        for link in descriptors.iterdir() if descriptors.exists() else ():
            with suppress(OSError):
                status = link.stat()
                if (status.st_dev, status.st_ino) == self._file and status.st_nlink:
                    return link.readlink()
        return None

    @cached_property
    def _refuge(self) -> Path:
        """A file next to the lost one, or where its folder is gone, in the folder of temporary
        files, that does not exist yet."""
        folder = self.path.parent if self.path.parent.is_dir() else Path(gettempdir())
        names = (f"{self.path.name}.rescued-{n}" for n in itertools.count(1))
        return next(folder / name for name in names if not (folder / name).exists())

    def _find(self) -> tuple[int, int] | None:
        """The device and the number of the file that the path leads to, None for none."""
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def _connect(self) -> sqlite3.Connection:
        return opening.open_to_write(self.path)

    def _writing(self) -> AbstractContextManager[sqlite3.Connection]:
        return writing(self.path, self._db)
