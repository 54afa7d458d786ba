"""Runs and studies of versions that could do what this one cannot are read, and shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.domain.specs.settings import RunSpec, Settings
from engine.domain.specs.study import Arm, StudySpec, Task
from engine.monitor.run_result import read_run_result
from engine.store.store import Store
from problems import ProblemRef
from tests.conftest import TOY

SPEC = RunSpec(ProblemRef(TOY), teacher="rollout", settings=Settings(states=64))


def rewrite(store: Store, table: str, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the specification in a table as an earlier version could have written it."""
    with store.jobs.writing() as db:
        ((text,),) = db.execute(f"SELECT spec FROM {table}")
        spec = json.loads(text)
        change(spec)
        text = json.dumps(spec, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        db.execute(f"UPDATE {table} SET spec = ?", (text,))


def test_of_several_teachers_the_first_is_shown(tmp_path: Path) -> None:
    with Store(tmp_path / "runs.db") as store:
        store.jobs.create_run(SPEC)
        rewrite(store, "runs", lambda spec: spec.update(teacher="rollout,program:other.py"))
        assert store.run(1).spec == SPEC
        teacher = read_run_result(store, 1).teacher
        assert teacher is not None and teacher.name == "rollout"


@pytest.mark.parametrize("gone", [{"states_from": "shared"}, {"align": "real"}])
def test_a_setting_that_is_gone_is_left_out(tmp_path: Path, gone: dict[str, str]) -> None:
    with Store(tmp_path / "runs.db") as store:
        store.jobs.create_run(SPEC)
        rewrite(store, "runs", lambda spec: spec["settings"].update(gone))
        assert store.run(1).spec == SPEC


@pytest.mark.parametrize("gone", [["states_from", "shared"], ["align", "real"]])
def test_an_arm_of_a_study_is_read_without_settings_that_are_gone(
    tmp_path: Path, gone: list[str]
) -> None:
    arm = Arm("shared", "ours", settings=(("states", "64"),))
    study = StudySpec("former", (Task(ProblemRef(TOY)),), ("shared",), arms=(arm,))
    with Store(tmp_path / "runs.db") as store:
        number = store.jobs.create_study(study)
        rewrite(store, "studies", lambda spec: spec["arms"][0]["settings"].append(gone))
        assert store.study(number).spec == study
