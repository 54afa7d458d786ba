"""`preceptor doctor`: every check in a line, and an exit code for scripts."""

from __future__ import annotations

import pytest

from engine.api import doctor
from tests.conftest import Shell
from tests.tui.schemas import read_document


@pytest.fixture(autouse=True)
def _no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Importing torch takes seconds; a fresh interpreter says its version at once."""
    monkeypatch.setattr(doctor, "TORCH", "print('2.13.0 without CUDA')")


def test_the_installation_of_these_tests_is_sound(preceptor: Shell) -> None:
    done = preceptor("doctor", "--json")
    found = read_document(done.out, "doctor")
    names = [check["name"] for check in found["checks"]]
    assert (done.code, found["healthy"]) == (0, True)
    assert {"preceptor", "libraries", "torch", "sandbox", "store", "sqlite", "disk"} <= set(names)


def test_each_check_is_a_line(preceptor: Shell) -> None:
    lines = preceptor("doctor").out.splitlines()
    assert all(line.split()[0] in ("ok", "warn", "fail") for line in lines)


def test_what_fails_makes_the_exit_code_1(
    preceptor: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "TORCH", "import no_such_torch")
    done = preceptor("doctor")
    assert done.code == 1
    assert "fail  torch: cannot be imported" in done.out


def test_a_store_in_no_folder_is_refused(preceptor: Shell) -> None:
    refused = preceptor("doctor", "--db", "nowhere/runs.db")
    assert refused.code == 2
    assert "no such folder" in refused.complaint
