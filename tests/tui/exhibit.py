"""A store with fixed runs to look at: one at work, one done, one that failed, one interrupted.

Every time in it counts from `DAWN`, so that pictures of it are the same on any day.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from textual.pilot import Pilot

from engine.domain.events import Event, WinnerChosen, read_fact
from engine.domain.records import BEST_KNOWN, CallKey, Measurement
from engine.domain.specs.settings import Caps, RunSpec, Settings
from engine.domain.specs.study import StudySpec, Task
from engine.domain.status import Job, State
from engine.domain.values import (
    Brief,
    Candidate,
    Case,
    Diagnostics,
    DiagnosticsRow,
    Evaluation,
    Failure,
    Message,
    Program,
    Recipe,
    Reply,
    Request,
    Usage,
)
from engine.store import process_identity as identity
from engine.store.store import Store
from problems import ProblemRef
from tui.app.app import Preceptor

DAWN = 1_750_000_000.0
"""When the store begins: 2025-06-15 15:06:40 UTC."""

NOW = DAWN + 343.0
"""When it is looked at."""

LIVE, DONE, FAILED, LOST = 4, 3, 2, 1


def choose_another(db: Path) -> tuple[str, str]:
    """Let the finished run have chosen its second best; returns that and the best."""
    with Store(db) as store:
        first, second, *_ = store.population(DONE)
        measured = []
        for one, cost in ((first, 1999.5), (second, 1990.25)):
            found = Evaluation(cost, (cost,) * 4, ((0,),) * 4, None, 0.5)
            log = store.search_log
            log.record_evaluation(
                DONE, f"last {one.id}", found, program=one.program.hash, design="", evaluator=""
            )
            measured.append((one.id, f"last {one.id}"))
        store.search_log.record_selection(DONE, "selection", measured, second.id)
        chosen = WinnerChosen(second.id, "selection", second.cost, 1990.25, 2, first.id)
        store.search_log.record_events(DONE, [Event(chosen)])
    return second.id, first.id


_CODE = '''def score(feature, state):
    """{idea}"""
    load = feature.machine_total_work
    rest = feature.remaining_work
    slack = feature.earliest_start - feature.job_ready_time
{body}    return {a} * rest - {b} * feature.processing_time - {c} * slack
'''
_BODIES = (
    "",
    "    if feature.job_progress > 0.8:\n        rest = 1.5 * rest\n",
    "    idle = feature.earliest_start - feature.machine_ready_time\n    slack = slack + idle\n",
    "    queue = max(1, feature.machine_queue_len)\n    load = load / queue\n"
    "    rest = rest + 0.2 * load\n",
)
_IDEAS = (
    "Most work left first, short operations break ties.",
    "Keep a loaded machine for the job that has most work left.",
    "Fuse slack with the queue in front of the machine.",
    "Late in the schedule, the critical job goes first.",
)
_BRIEF = """Where the parent departs from the teacher:
- **loaded machines**: it picks the shortest operation, the teacher keeps the machine for the \
critical job (31 of 57 cases)
- ties: it breaks them by job, the teacher by remaining work
{advice}"""
_ADVICE = {
    "s": "Rebuild the score around the remaining work of the job.",
    "p": "Raise the weight of slack from 0.3 to about 0.7.",
    "m": "Take the tie rule of the second parent.",
}


@dataclass(slots=True)
class Clock:
    """A clock that moves when it is told to."""

    now: float = DAWN

    def __call__(self) -> float:
        """The time it shows."""
        return self.now


class Curator:
    """Fills one run, as an engine would: `seconds` pass with every batch of events."""

    def __init__(self, store: Store, clock: Clock, run: int) -> None:
        self.store, self.clock, self.run = store, clock, run
        self.rng = random.Random(run)
        self.made: list[Candidate] = []

    def say(
        self, kind: str, generation: int, slot: int | None, **data: str | float | None
    ) -> None:
        """One event, a second later."""
        self.clock.now += 1
        event = Event(read_fact(kind, data), generation, slot)
        self.store.search_log.record_events(self.run, [event])

    def beat(self, times: int) -> None:
        """The engine lives for twice so many seconds."""
        for _ in range(times):
            self.store.jobs.beat(Job("run", self.run))

    def plant(self) -> None:
        """Generation 0: three seeds."""
        self.say("generation-opened", 0, None)
        for slot in range(3):
            self.keep(self.candidate(0, slot, "seed", ()))
        self.close(0)

    def breed(self, generation: int) -> None:
        """A whole generation: briefs, five calls, five candidates, of which one failed."""
        self.open(generation)
        for slot, operator in enumerate("spmsp"):
            parents = self.pick(operator)
            self.ask(generation, slot, operator, parents)
            self.answer(generation, slot)
            self.keep(self.candidate(generation, slot, operator, parents))
        self.close(generation)

    def open(self, generation: int) -> None:
        """The generation opens, and the analyzer speaks."""
        self.store.search_log.open_generation(self.run, generation)
        self.say("generation-opened", generation, None)
        self.say("call-sent", generation, 0, purpose="analyzer", writer="gpt-5.4")
        briefs = [Brief(_BRIEF.format(advice=_ADVICE[name]), name) for name in "spmsp"]
        self.store.search_log.record_briefs(self.run, generation, briefs)
        self.say("call-answered", generation, 0, purpose="analyzer", tokens=852, usd=0.02)
        self.say("briefs", generation, None, count=5, source="analyzer", answers=1)

    def pick(self, operator: str) -> tuple[Candidate, ...]:
        """The best parent, and for m another one."""
        valid = sorted((c for c in self.made if c.cost is not None), key=lambda c: c.cost or 0)
        return (valid[0], valid[1]) if operator == "m" else (valid[self.rng.randrange(2)],)

    def ask(self, generation: int, slot: int, operator: str, parents: Sequence[Candidate]) -> None:
        """A call leaves."""
        recipe = Recipe(generation, slot, operator, tuple(parents))
        asked = Message("user", f"Write a better score, by operator {operator}.")
        system = Message("system", "You design dispatching rules.")
        request = Request("program", operator, (system, asked), (recipe,))
        self.store.search_log.record_sent(CallKey(self.run, "program", generation, slot), request)
        self.say("call-sent", generation, slot, purpose="program", writer="gpt-5.4")

    def answer(self, generation: int, slot: int) -> None:
        """Its answer comes."""
        text = "{An idea.}\n```python\ndef score(feature, state):\n    return 1.0\n```"
        reply = Reply(text, model="gpt-5.4", usage=Usage(2400, 610, 0.04), raw='{"id": "r-1"}')
        self.store.search_log.record_done(CallKey(self.run, "program", generation, slot), reply)
        self.say("call-answered", generation, slot, purpose="program", tokens=3010, usd=0.04)

    def candidate(
        self, generation: int, slot: int, operator: str, parents: Sequence[Candidate]
    ) -> Candidate:
        """A candidate with made-up figures that get better from generation to generation."""
        number = slot if generation == 0 else 3 + (generation - 1) * 5 + slot
        idea = _IDEAS[number % len(_IDEAS)]
        code = _CODE.format(
            idea=idea,
            body=_BODIES[number % len(_BODIES)],
            a=round(0.5 + 0.1 * slot, 2),
            b=round(0.3 + 0.2 * generation, 2),
            c=round(self.rng.uniform(0.1, 0.9), 2),
        )
        failed = generation > 0 and slot == 4
        cost = round(1620 - 18 * generation + self.rng.gauss(0, 22), 3)
        return Candidate(
            id=f"p{number:04d}",
            program=Program(idea, code, hashlib.sha256(code.encode()).hexdigest()),
            operator=operator,
            generation=generation,
            slot=slot,
            parents=tuple(parent.id for parent in parents),
            cost=None if failed else cost,
            costs=() if failed else tuple(cost + k for k in range(-2, 3)),
            diagnostics=None if failed else self.diagnostics(generation),
            behaviour=None if failed else f"behaviour {number}",
            failure=Failure("timeout", "60 CPU seconds are over", 6) if failed else None,
        )

    def diagnostics(self, generation: int) -> Diagnostics:
        """Comments of a teacher that likes later generations better."""
        agreement = round(0.42 + 0.04 * generation + self.rng.gauss(0, 0.03), 4)
        regret = round(1 - agreement + 0.1, 3)
        return Diagnostics(
            agreement, 0.121, 0.0077, agreement + 0.17, 0.88, 4096, 12, 3, _cases(regret)
        )

    def keep(self, candidate: Candidate) -> None:
        """Evaluation, the teacher's comments and the candidate are recorded, and told."""
        place = (candidate.generation, candidate.slot)
        self.start(candidate)
        evaluated = f"evaluation {self.run} {candidate.id}"
        evaluation = Evaluation(
            candidate.cost, candidate.costs, ((0, 1),), candidate.failure, 0.42
        )
        self.store.search_log.record_evaluation(
            self.run, evaluated, evaluation, program="h", design="d", evaluator="e"
        )
        self.measure(candidate)
        said = None
        if candidate.diagnostics is not None:
            said = f"diagnostics {self.run} {candidate.id}"
            self.say("consulting", *place, program=candidate.id)
            self.store.search_log.record_diagnostics(
                self.run, said, DiagnosticsRow(candidate.diagnostics)
            )
            self.comment(candidate)
        self.store.search_log.record_candidate(self.run, candidate, evaluated, said)
        self.made.append(candidate)
        failure = candidate.failure
        self.say(
            "candidate",
            *place,
            program=candidate.id,
            operator=candidate.operator,
            cost=candidate.cost,
            agreement=candidate.agreement,
            failure=None if failure is None else failure.kind,
            message=None if failure is None else failure.message,
        )

    def start(self, candidate: Candidate) -> None:
        """Its evaluation begins."""
        self.say("evaluating", candidate.generation, candidate.slot, program=candidate.id)

    def measure(self, candidate: Candidate) -> None:
        """Its evaluation ends."""
        self.say(
            "evaluated",
            candidate.generation,
            candidate.slot,
            program=candidate.id,
            cost=candidate.cost,
            cpu=0.42,
            failure=None if candidate.failure is None else candidate.failure.kind,
        )

    def comment(self, candidate: Candidate) -> None:
        """The teacher has spoken."""
        place = (candidate.generation, candidate.slot)
        self.say("diagnosed", *place, program=candidate.id, agreement=candidate.agreement)

    def close(self, generation: int) -> None:
        """The ten of lowest cost survive."""
        valid = sorted((c for c in self.made if c.cost is not None), key=lambda c: c.cost or 0)
        kept = valid[:10]
        ids = [c.id for c in kept]
        self.store.search_log.close_generation(
            self.run, generation, ids, f"digest {generation}", ids[0]
        )
        self.say(
            "generation-closed",
            generation,
            None,
            best=ids[0],
            cost=kept[0].cost,
            agreement=kept[0].agreement,
            survivors=len(kept),
            calls=6 * generation,
        )


def build(db: Path) -> None:
    """Fill a new store with the four runs."""
    clock = Clock()
    with patch("time.time", clock), Store(db) as store:
        store._db.execute("PRAGMA synchronous = OFF")  # a power cut would cost a test, no run
        _lose(store, clock)
        _fail(store, clock)
        _finish(store, clock)
        _work(store, clock)
        clock.now = NOW
        store.jobs.beat(Job("run", LIVE))


def add_study(db: Path) -> int:
    """Add a study of two arms and three seeds to a store; returns its number.

    One run of `ours` is done, one at work, one failed; one of `blind` is done, two wait.
    """
    clock = Clock(NOW)
    with patch("time.time", clock), Store(db) as store:
        spec = StudySpec(
            "arms", (Task(ProblemRef("jssp")),), ("ours", "blind"), seeds=(0, 1, 2), at_once=2
        )
        study = store.jobs.create_study(spec)
        store.jobs.claim(Job("study", study), identity.current())
        ends: tuple[tuple[int, State, int], ...] = (
            (0, "done", 2),
            (1, "running", 1),
            (2, "failed", 0),
            (3, "done", 2),
        )
        for place, state, generations in ends:
            run = store.study_log.enlist(study, place, spec.runs()[place])
            store.jobs.claim(Job("run", run), identity.current())
            curator = Curator(store, clock, run)
            curator.plant()
            for generation in range(1, generations + 1):
                curator.breed(generation)
            if state != "running":
                store.jobs.release(Job("run", run), state)
        clock.now = NOW
        store.jobs.beat(Job("study", study))
    return study


def measure_study(db: Path, study: int) -> None:
    """Let the winners of a study, a rule and the best known costs be measured on a set."""
    with Store(db) as store:
        done, _, _, other = store.study_runs(study).values()
        found = (
            Measurement(
                "jssp",
                "random-10x10",
                "h",
                "program",
                (905.5, 915.5),
                1.0,
                run=done.number,
                method="ours",
            ),
            Measurement(
                "jssp",
                "random-10x10",
                "g",
                "program",
                (935.0, 945.0),
                1.0,
                run=other.number,
                method="blind",
            ),
            Measurement("jssp", "random-10x10", "spt", "rule", (1230.0, 1232.0), 0.5),
            Measurement("jssp", "random-10x10", BEST_KNOWN, "reference", (820.0, 830.0), None),
        )
        for number, one in enumerate(found):
            store.study_log.record_measurement(study, f"key {number}", one)
        store.jobs.set_reason(Job("study", study), "measured 4 of 10")


def _lose(store: Store, clock: Clock) -> None:
    curator = begin(store, clock, "ours", 0)
    curator.plant()
    curator.breed(1)
    store.jobs.release(Job("run", curator.run), "running")


def _fail(store: Store, clock: Clock) -> None:
    curator = begin(store, clock, "performance-only", 1)
    reason = "the problem folder ./shop has no problem.py"
    store.jobs.release(Job("run", curator.run), "failed", reason)


def _finish(store: Store, clock: Clock) -> None:
    curator = begin(store, clock, "ours", 0, generations=3)
    curator.plant()
    for generation in range(1, 4):
        curator.breed(generation)
    curator.beat(64)
    curator.say("run-ended", 3, None, status="done", reason="")
    store.jobs.release(Job("run", curator.run), "done")


def _work(store: Store, clock: Clock) -> None:
    """Two generations are closed; of the third, the children are at five different stages."""
    curator = begin(store, clock, "ours", 2)
    curator.plant()
    for generation in (1, 2):
        curator.breed(generation)
    curator.open(3)
    recipes = [(operator, curator.pick(operator)) for operator in "spmsp"]
    for slot, (operator, parents) in enumerate(recipes):
        curator.ask(3, slot, operator, parents)
    children = [curator.candidate(3, slot, *recipes[slot]) for slot in range(5)]
    for slot in (1, 2, 3, 4):
        curator.answer(3, slot)
    for slot in (2, 3, 4):
        curator.start(children[slot])
    for slot in (3, 4):
        curator.measure(children[slot])
    curator.say("consulting", 3, 3, program=children[3].id)
    curator.comment(children[3])
    curator.beat(9)


def begin(store: Store, clock: Clock, method: str, seed: int, generations: int = 5) -> Curator:
    """A run that has just started, and who fills it."""
    settings = Settings(generations=generations)
    spec = RunSpec(
        ProblemRef("jssp"),
        method=method,
        seed=seed,
        writer="openai:gpt-5.4",
        teacher="offline-l2d" if method == "ours" else "",
        settings=settings,
        caps=Caps(calls=30, usd=5.0),
    )
    clock.now += 10
    run = store.jobs.create_run(spec)
    store.jobs.claim(Job("run", run), identity.current())
    curator = Curator(store, clock, run)
    curator.store.search_log.record_events(
        run, [Event(read_fact("run-started", dict((("writer", "gpt-5.4"), ("sandbox", "full")))))]
    )
    return curator


def _cases(regret: float) -> tuple[Case, ...]:
    return tuple(_draw_cases(regret))


def _draw_cases(regret: float) -> Iterator[Case]:
    for k in range(4):
        chosen = (("processing_time", 12.0 + k), ("remaining_work", 140.0), ("machine_id", 3.0))
        preferred = (("processing_time", 31.0), ("remaining_work", 322.0 - k), ("machine_id", 3.0))
        yield Case(5 * k, 17 + k, 0.2 * k, 9, 4, 7, regret / (k + 1), chosen, preferred)
    same = (("processing_time", 8.0), ("remaining_work", 57.0), ("machine_id", 1.0))
    yield Case(2, 61, 0.9, 5, 1, 1, 0.0, same, same)


async def until(pilot: Pilot[None], condition: Callable[[], object]) -> None:
    """Let the application work until something holds; the test's time limit ends the wait."""
    while not condition():
        await pilot.pause(0.01)


def open_app(db: Path, run: int | None = None, study: int | None = None) -> Preceptor:
    """The application over a store of this kind, its clock standing still."""
    return Preceptor(db, run, clock=lambda: NOW, study=study)
