"""Several processes of one teacher: programs of a generation are asked about side by side.

Which process answers changes no answer. A process more is started only where what waits would take
longer than its start, so short runs and small sets have one.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

from engine.diagnosis.queries import Actions, TeacherQuery
from engine.diagnosis.teacher_process import REMEMBERED, TeacherProcess, TeacherSpec
from engine.domain.values import DiagnosticsRow, FactsRow

T = TypeVar("T")

START_SECONDS = 3.0
"""CPU seconds that a process takes to load its libraries, weights and instances, about."""


class TeacherPool:
    """Asks one teacher about several candidates at once, each in a process of its own."""

    def __init__(self, spec: TeacherSpec, size: int = 1) -> None:
        """At most `size` processes; none is started before it is asked."""
        first = TeacherProcess(spec)
        self.spec = spec
        self._size = size
        self._processes = [first]
        self._free = [first]
        self._turns = asyncio.Semaphore(1)
        self._asked = 0
        self._seconds = 0.0
        self._seen: OrderedDict[int, TeacherProcess] = OrderedDict()

    async def open(self) -> str:
        """Load the teacher; returns its fingerprint. Raises as `TeacherProcess.open`."""
        return await self._processes[0].open()

    async def ask(self, query: TeacherQuery[T]) -> T:
        """The answer of a process that is free, as `TeacherProcess.ask`."""
        async with self._process(getattr(query, "rollouts", ())) as process:
            found = await process.ask(query)
            if isinstance(found, FactsRow | DiagnosticsRow):
                self._seconds = max(self._seconds, found.cpu)
            return found

    async def close(self) -> None:
        """End all processes; questions under way are waited for."""
        await asyncio.gather(*(process.close() for process in self._processes))

    @asynccontextmanager
    async def _process(self, rollouts: Actions) -> AsyncIterator[TeacherProcess]:
        """A process that is free, the one that has seen these rollouts where it is."""
        self._asked += 1
        try:
            async with self._turns:
                process = self._take(hash(rollouts))
                try:
                    yield process
                finally:
                    self._free.append(process)
                    self._grow()
        finally:
            self._asked -= 1

    def _take(self, rollouts: int) -> TeacherProcess:
        seen = self._seen.pop(rollouts, None)
        process = seen if seen in self._free else self._free[0]
        assert process is not None
        self._free.remove(process)
        self._seen[rollouts] = process
        if len(self._seen) > REMEMBERED * self._size:
            self._seen.popitem(last=False)
        return process

    def _grow(self) -> None:
        """Start a process more where those who wait would wait longer than that takes."""
        waiting = self._asked - len(self._processes)
        if len(self._processes) < self._size and waiting * self._seconds > START_SECONDS:
            more = TeacherProcess(self.spec)
            self._processes.append(more)
            self._free.append(more)
            self._turns.release()
