"""Which tests are no part of the loop for every save: they start processes, or take long.

`slow.txt` names them, a test, a file or a folder a line; all others are `make quick`, and have a
minute each; one that starts a process fails, whichever tests run. `pytest --record-slow` adds to
the list what a run finds. `nightly.txt` names tests, or cases of them, for `make nightly`.
"""

from __future__ import annotations

import _posixsubprocess
import os
import subprocess
import time
from collections.abc import Callable, Generator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
LIST = ROOT / "tests/slow.txt"
NIGHTLY = ROOT / "tests/nightly.txt"
"""What only `make nightly` runs: mostly cases of a test whose other cases are in every run."""

QUICK = 0.1
"""CPU seconds of this process that a test of the loop may take, its fixtures included."""

PATIENCE = 300
"""Seconds that a slow test may take: engines and terminals on a machine with a load of 10."""

STARTERS = (
    (os, "fork"),
    (os, "forkpty"),
    (os, "posix_spawn"),
    (subprocess, "_fork_exec"),
    (_posixsubprocess, "fork_exec"),
)
"""Whatever starts a process goes through one of these."""

SLOW = "slow"


def name(nodeid: str) -> str:
    """A test without its parameters."""
    return nodeid.partition("[")[0]


class SlowTests:
    """Marks the tests that are listed; finds the others that start a process or take long."""

    def __init__(self, config: pytest.Config) -> None:
        """From now on it is seen what starts a process."""
        self.recording = bool(config.getoption("--record-slow"))
        self.is_loop = f"not {SLOW}" in str(config.getoption("markexpr")) and not self.recording
        self.listed = set(LIST.read_text("utf-8").split())
        self.nightly = set(NIGHTLY.read_text("utf-8").splitlines())
        self.found = set[str]()
        self._quick = False
        self._started = False
        self._heavy = set[str]()
        self._begun = 0.0
        for module, starter in STARTERS:
            setattr(module, starter, self._watch(getattr(module, starter)))

    def _watch(self, start: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*arguments: Any, **more: Any) -> Any:
            self._started = True
            if self._quick and not self.recording:
                pytest.fail(f"starts a process and is not in {LIST.name}: pytest --record-slow")
            return start(*arguments, **more)

        return watched

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """The loop does not even import what is listed as a whole."""
        if not self.is_loop or not collection_path.is_relative_to(ROOT):
            return None
        return str(collection_path.relative_to(ROOT)) in self.listed or None

    @pytest.hookimpl(tryfirst=True)  # before `-m` chooses
    def pytest_collection_modifyitems(self, items: Sequence[pytest.Item]) -> None:
        """Mark what is listed, by itself, by its file or by a folder."""
        for item in items:
            if not self.nightly.isdisjoint((item.nodeid, name(item.nodeid))):
                item.add_marker("nightly")
            file = PurePosixPath(item.nodeid.partition("::")[0])
            if not self.listed.isdisjoint((name(item.nodeid), str(file), *map(str, file.parents))):
                item.add_marker(SLOW)
                if item.get_closest_marker("timeout") is None:
                    item.add_marker(pytest.mark.timeout(PATIENCE))

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Begin to watch a test."""
        self._quick = not any(map(item.get_closest_marker, (SLOW, "nightly")))
        self._started = False
        self._begun = time.process_time()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any]
    ) -> Generator[None, object, object]:
        """Remember fixtures that take long: every test that needs one may be the first to."""
        begun, before = time.process_time(), self._started
        self._started = False
        result = yield
        heavy = self._started or time.process_time() - begun > QUICK
        if fixturedef.scope != "function" and heavy:
            self._heavy.add(fixturedef.argname)
        self._started |= before
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        """Say in the test's report what it took; xdist hands that to whoever writes the list."""
        heavy = self._heavy.intersection(getattr(item, "fixturenames", ()))
        taken = time.process_time() - self._begun
        if self._quick and (self._started or heavy or taken > QUICK):
            item.user_properties.append((SLOW, taken))
        self._quick = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what turned out to be slow."""
        if SLOW in dict(report.user_properties):
            self.found.add(name(report.nodeid))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Add it to the list."""
        if self.recording and not hasattr(session.config, "workerinput"):
            LIST.write_text("".join(f"{line}\n" for line in sorted(self.listed | self.found)))
