"""A Dask cluster on loopback: a scheduler and workers, processes that a test starts and ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

PATIENCE = 240.0
"""Seconds after which a process that did not begin is taken to be broken."""

QUIET = {"DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "10s"}
"""A worker that stands still is given up after so long (5 minutes unless told)."""


@dataclass
class LoopbackCluster:
    """`with LoopbackCluster(folder, 2) as cluster:` with two workers, ready to be asked."""

    folder: Path
    count: int = 1
    python: str = sys.executable
    environment: Mapping[str, str] = field(default_factory=dict)
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    scheduler: subprocess.Popen[bytes] | None = None
    port: int = 0

    def __enter__(self) -> Self:
        self.start_scheduler()
        for _ in range(self.count):
            self.add_worker()
        return self

    def __exit__(self, *_: object) -> None:
        for process in (*self.workers, self.scheduler):
            if process is not None:
                _end(process)

    @property
    def address(self) -> str:
        """Of the scheduler."""
        return f"tcp://127.0.0.1:{self.port}"

    def start_scheduler(self) -> None:
        """Start one, again at the port of the first."""
        found = self.folder / "scheduler.json"
        found.unlink(missing_ok=True)
        words = ["--host", "127.0.0.1", "--port", str(self.port), "--scheduler-file", str(found)]
        self.scheduler = self._start("dask_scheduler", *words)
        self.port = int(_wait_for(found, self.scheduler)["address"].rpartition(":")[2])

    def add_worker(
        self,
        python: str = "",
        environment: Mapping[str, str] | None = None,
        memory: str = "",
    ) -> str:
        """Start another worker of one thread; its name. It may not have connected yet.

        One with a limit on its `memory`, such as `400MB`, has a nanny that ends it above that, and
        starts it again.
        """
        name = f"w{len(self.workers)}"
        nanny = ["--nanny", "--memory-limit", memory] if memory else ["--no-nanny"]
        words = [self.address, *nanny, "--nthreads", "1", "--name", name]
        words += ["--host", "127.0.0.1", "--local-directory", str(self.folder)]
        self.workers.append(self._start("dask_worker", *words, python=python, more=environment))
        return name

    def kill(self, worker: int) -> None:
        """End a worker at once."""
        _end(self.workers[worker])

    def kill_scheduler(self) -> None:
        """End the scheduler at once."""
        assert self.scheduler is not None
        _end(self.scheduler)

    def _start(
        self, module: str, *words: str, python: str = "", more: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        log = (self.folder / f"{module}.log").open("ab")
        with log:
            return subprocess.Popen(
                [
                    python or self.python,
                    "-m",
                    f"distributed.cli.{module}",
                    *words,
                    "--no-dashboard",
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **QUIET, **self.environment, **(more or {})},
            )


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        process.send_signal(signal.SIGCONT)
    process.kill()
    process.wait()


def _wait_for(file: Path, process: subprocess.Popen[bytes]) -> dict[str, str]:
    """What a scheduler writes of itself."""
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit and process.poll() is None:
        with suppress(OSError, ValueError):
            found: dict[str, str] = json.loads(file.read_text())
            return found
        time.sleep(0.02)
    raise AssertionError("no scheduler; its log says why")
