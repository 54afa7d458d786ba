"""What a study keeps in the store: its wording, the runs that it began, what it measured."""

from __future__ import annotations

from dataclasses import dataclass

from engine.domain.records import Measurement
from engine.domain.specs.settings import RunSpec
from engine.domain.specs.study import StudySpec
from engine.domain.text import codec
from engine.store.jobs import insert_run
from engine.store.reader import Reader
from engine.store.rows import COSTS, FAILURES
from engine.store.transaction import Writing, insert, update

_PLACE = ("study", "run", "method", "problem", "instances", "kind", "solver")
_FOUND_AGAIN = (
    f"ON CONFLICT ({', '.join(_PLACE)}) DO UPDATE SET measurement = excluded.measurement"
)


@dataclass(frozen=True, slots=True)
class StudyLog:
    """The part of a `Store` that an engine of a study writes to."""

    reader: Reader
    writing: Writing

    def reword(self, study: int, spec: StudySpec) -> None:
        """Take over what an equal study asks differently: what is measured, how much at once."""
        with self.writing() as db:
            update(db, "studies", study, spec=codec.encode(spec))

    def enlist(self, study: int, place: int, spec: RunSpec) -> int:
        """The run at a place of a study, booked when it is not there yet; returns its number."""
        with self.writing() as db:
            begun = self.reader.study_runs(study).get(place)
            if begun is not None:
                return begun.number
            run = insert_run(db, spec)
            insert(db, "study_runs", study=study, place=place, run=run)
            return run

    def record_measurement(self, study: int, key: str, found: Measurement) -> None:
        """Keep a measurement under its content key, and that this study found it.

        Shared over studies unless it failed for another reason than an invalid action: a timeout
        on a busy machine is not inherited. The first one recorded stays.
        """
        shared = all(failure.kind == "invalid action" for failure in found.failures)
        self.keep_measurement(0 if shared else study, key, found)
        self.find_measurement(study, key, found.run, found.method)

    def keep_measurement(self, study: int, key: str, found: Measurement) -> None:
        """Keep a measurement under its content key, for all to find where the study is 0."""
        with self.writing() as db:
            insert(
                db,
                "measurements",
                "ON CONFLICT DO NOTHING",
                key=key,
                study=study,
                problem=found.problem,
                instances=found.set,
                solver=found.solver,
                kind=found.kind,
                seconds=found.seconds,
                device=found.device,
                failures=codec.encode(found.failures, FAILURES),
                costs=codec.pack(codec.encode(found.costs, COSTS)),
            )

    def find_measurement(self, study: int, key: str, run: int | None, method: str) -> bool:
        """Note that a study rests on a measurement taken before; False when there is none.

        `run` and `method` say which program of the study was measured, None and "" that it was
        somebody else. Noted again for the same place, the later measurement stands.
        """
        with self.writing() as db:
            for row in self.reader.keyed("measurements", study, key):
                columns = {name: row[name] for name in ("problem", "instances", "kind", "solver")}
                columns |= {"study": study, "run": run or 0, "method": method}
                insert(db, "findings", _FOUND_AGAIN, measurement=row["id"], **columns)
                return True
        return False
