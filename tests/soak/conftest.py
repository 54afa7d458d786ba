"""What the faults came to, as a table at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

HEAD = ("fault", "what happened", "lost", "paid twice")


@dataclass
class Findings:
    """Rows of the table so far."""

    rows: list[tuple[str, ...]] = field(default_factory=list)


FOUND = pytest.StashKey[Findings]()


def pytest_configure(config: pytest.Config) -> None:
    """An empty table."""
    config.stash[FOUND] = Findings()


@pytest.fixture
def note(request: pytest.FixtureRequest) -> Callable[[str, str, int, int], None]:
    """Adds a row to the table: the fault, what happened, rows lost, replies paid twice."""

    def add(fault: str, happened: str, lost: int, twice: int) -> None:
        row = (fault, happened, str(lost), str(twice))
        request.config.stash[FOUND].rows.append(row)

    return add


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print the table."""
    rows = config.stash[FOUND].rows
    if not rows:
        return
    widths = [max(map(len, column)) for column in zip(HEAD, *rows, strict=True)]
    for row in (HEAD, *rows):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        terminalreporter.write_line("  ".join(cells).rstrip())
