"""How many cores a process may use."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from engine.domain.concurrency import count_cores

if TYPE_CHECKING:
    import pytest


def test_a_job_with_fewer_cores_than_the_machine_uses_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 7}, raising=False)
    assert count_cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert count_cores() == 1
