"""A stored evaluation counts only for the very code and libraries that made it."""

from __future__ import annotations

from importlib import metadata

import pytest

from engine import provenance
from problems import ProblemRef

TSP = ProblemRef("tsp")


@pytest.mark.parametrize("library", ["numpy", "numba"])
def test_another_version_of_a_library_makes_another_evaluator(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = provenance.evaluator_version(TSP)
    installed = metadata.version
    monkeypatch.setattr(
        provenance, "version", lambda name: "0.0" if name == library else installed(name)
    )
    provenance._digest_files.cache_clear()
    assert provenance.evaluator_version(TSP) != known
    monkeypatch.undo()
    provenance._digest_files.cache_clear()
    assert provenance.evaluator_version(TSP) == known
