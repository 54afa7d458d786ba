"""Data folders for tests: an empty one, and one with the published sets imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from problems.sets.imports import import_path, read_groups

SHARED = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder of the user's."""
    folder = tmp_path / "data"
    monkeypatch.setenv("PRECEPTOR_DATA", str(folder))
    return folder


@pytest.fixture(scope="module")
def benchmark_files(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A data folder with all sets that the module's `PROBLEM` finds among the benchmark files.

    Skips where these are not.
    """
    if not SHARED.exists():
        pytest.skip("the benchmark files are not here")
    folder = tmp_path_factory.mktemp("published")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRECEPTOR_DATA", str(folder))
        for files in sorted(path for path in SHARED.iterdir() if path.is_dir()):
            if read_groups(files, [request.module.PROBLEM])[0]:
                import_path(files, None, [request.module.PROBLEM])
    return folder


@pytest.fixture
def published(benchmark_files: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder with the published sets, in use."""
    monkeypatch.setenv("PRECEPTOR_DATA", str(benchmark_files))
    return benchmark_files
