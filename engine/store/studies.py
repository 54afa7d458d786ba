"""The life of a study in the store: booked, its runs begun one by one, measured, ended."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from engine.domain import codec
from engine.store.rows import COSTS, FAILURES
from engine.store.runs import NOBODY, Runs, standing
from engine.store.transaction import insert

if TYPE_CHECKING:
    from engine.domain.records import Identity, Measurement
    from engine.domain.specs.settings import RunSpec
    from engine.domain.specs.study import StudySpec
    from engine.domain.status import State

_ALIKE = "SELECT study FROM studies WHERE identity = ? ORDER BY study DESC LIMIT 1"


class Studies(Runs):
    """The part of a `Store` that books studies; see there."""

    def create_study(self, spec: StudySpec) -> int:
        """Book a new study in state `starting`; returns its number."""
        now = time.time()
        with self._writing() as db:
            return insert(
                db,
                "studies",
                name=spec.name,
                identity=spec.identity(),
                spec=codec.encode(spec),
                state="starting",
                heartbeat=now,
                created=now,
            )

    def alike(self, spec: StudySpec) -> int | None:
        """The newest study that asks the same, None when there is none."""
        rows = self._rows(_ALIKE, spec.identity())
        return int(rows[0]["study"]) if rows else None

    def reword_study(self, study: int, spec: StudySpec) -> None:
        """Take over what an equal study asks differently: what is measured, how much at once."""
        with self._writing():
            self._update("studies", study, spec=codec.encode(spec))

    def enlist(self, study: int, place: int, spec: RunSpec) -> int:
        """The run at a place of a study, booked when it is not there yet; returns its number."""
        with self._writing() as db:
            begun = self.study_runs(study).get(place)
            if begun is not None:
                return begun.number
            run = self._insert_run(db, spec)
            insert(db, "study_runs", study=study, place=place, run=run)
            return run

    def claim_study(self, study: int, owner: Identity) -> None:
        """Make `owner` the study's engine, as `claim` does for a run."""
        with self._writing():
            self._hand_over("studies", self.study(study), owner)

    def release_study(self, study: int) -> None:
        """The study has no engine any more; its state stays."""
        with self._writing():
            self._update("studies", study, **NOBODY)

    def set_study_state(self, study: int, state: State, reason: str = "") -> None:
        """Say how the study stands; done, stopped and failed also end it."""
        with self._writing():
            self._update("studies", study, **standing(state, reason))

    def beat_study(self, study: int) -> None:
        """A sign of life, every 2 s; also counts the seconds spent at work."""
        self._beat("studies", study)

    def record_measurement(self, study: int, key: str, found: Measurement) -> None:
        """Keep a measurement under its content key, and that this study found it.

        Shared over studies unless it failed for another reason than an invalid action: a timeout
        on a busy machine is not inherited. The first one recorded stays.
        """
        shared = all(failure.kind == "invalid action" for failure in found.failures)
        with self._writing() as db:
            insert(
                db,
                "measurements",
                "ON CONFLICT DO NOTHING",
                key=key,
                study=0 if shared else study,
                problem=found.problem,
                instances=found.set,
                solver=found.solver,
                kind=found.kind,
                seconds=found.seconds,
                device=found.device,
                failures=codec.encode(found.failures, FAILURES),
                costs=codec.pack(codec.encode(found.costs, COSTS)),
            )
        self.find_measurement(study, key, found.run, found.method)

    def find_measurement(self, study: int, key: str, run: int | None, method: str) -> bool:
        """Note that a study rests on a measurement taken before; False when there is none.

        `run` and `method` say which program of the study was measured, None and "" that it was
        somebody else. Noted again for the same place, the later measurement stands.
        """
        with self._writing() as db:
            number = self.measurement(study, key)
            if number is None:
                return False
            (row,) = self._rows("SELECT * FROM measurements WHERE id = ?", number)
            same = ("problem", "instances", "kind", "solver")
            columns = {"study": study, "run": run or 0, "method": method, "measurement": number}
            columns |= {name: row[name] for name in same}
            place = "study, run, method, problem, instances, kind, solver"
            change = "DO UPDATE SET measurement = excluded.measurement"
            insert(db, "findings", f"ON CONFLICT ({place}) {change}", **columns)
            return True
