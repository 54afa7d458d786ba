"""Writing the run store: in transactions that are on disk when they return."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.store import connection as opening
from engine.store.jobs import Jobs
from engine.store.reader import Reader
from engine.store.search_log import SearchLog
from engine.store.study_log import StudyLog
from engine.store.transaction import alone, worded, writing

if TYPE_CHECKING:
    import sqlite3
    from contextlib import AbstractContextManager
    from pathlib import Path


class Store(Reader):
    """A run store opened to write; makes the file, updates an older one, reads like a Reader.

    `jobs` books runs and studies and says who works on them; `search_log` keeps what a run does,
    `study_log` what a study does. Each of their methods is one transaction. Raises StoreForeign
    for a file that is not ours or newer and StoreError for whatever keeps it from being written
    (a full disk: free space, call again).
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.jobs = Jobs(self, self._writing)
        self.search_log = SearchLog(self, self._writing)
        self.study_log = StudyLog(self, self._writing)

    def close(self) -> None:
        """Let go of the file; the last one to do so writes its log back."""
        with alone(self.path):
            super().close()

    def shrink(self) -> None:
        """Write the log back and cut it to nothing: on a small disk that may be all it needs."""
        with worded(self.path), alone(self.path):
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _connect(self) -> sqlite3.Connection:
        return opening.open_to_write(self.path)

    def _writing(self) -> AbstractContextManager[sqlite3.Connection]:
        return writing(self.path, self._db)
