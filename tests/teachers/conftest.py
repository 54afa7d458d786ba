"""Every test here has a user folder of teachers and a cache folder of its own, both empty."""

from __future__ import annotations

from pathlib import Path

import pytest

from teachers.device import use_one_thread


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this test's own teachers lie."""
    use_one_thread()
    folder = tmp_path / "teachers"
    monkeypatch.setenv("PRECEPTOR_TEACHERS", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder
