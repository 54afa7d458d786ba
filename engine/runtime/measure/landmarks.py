"""What a cost on the design set can be held against: classical solvers, and the teacher alone.

They are measured once for every store and set, for writers who read prompts; what shipped teachers
reach on a problem's own design set is on record.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from engine.diagnosis.queries import SolveAlone
from engine.domain.names import ROLLOUT
from engine.domain.records import Kind, Measurement
from engine.domain.text.codec import content_key
from engine.domain.values import Landmarks
from engine.runtime import provenance
from engine.runtime.executors.executor import Verdicts
from engine.runtime.measure.solvers import solve_trusted
from engine.runtime.plan import Plan
from engine.search.prompts import need_facts
from engine.store.store import Store
from problems.base import Rule
from problems.errors import PreceptorError
from teachers import recall_cost

Costs = tuple[float | None, ...]
Solvers = tuple[tuple[str, float], ...]

BUILTIN = "builtin"
"""The writer that reads no prompts."""


@dataclass(frozen=True, slots=True)
class Survey:
    """Measures solvers on the design set of a plan; `design` is the digest of its instances."""

    store: Store
    plan: Plan
    design: str

    async def find(self, teacher: Verdicts, fingerprint: str) -> Landmarks:
        """What is known, or measured now; nothing where no model reads prompts.

        Screens show what a teacher alone costs, prompts do where the method's wording has it; of
        rules none shows a solver's cost.
        """
        solvers = await self._measure_solvers() if self.plan.problem.contract.whole else ()
        name = self.plan.spec.teacher
        if name in ("", ROLLOUT):
            return Landmarks(solvers, tries=name == ROLLOUT)
        recorded = recall_cost(name, self.plan.design_set)  # as its header has it
        if recorded is not None or not self._has_readers:
            return Landmarks(solvers, recorded)
        work = partial(self._solve_alone, teacher)
        return Landmarks(solvers, await self._measure(name, "teacher", fingerprint, work))

    async def _measure_solvers(self) -> Solvers:
        """Costs of the problem's solvers of whole instances, the worst first."""
        found = []
        for rule in self.plan.problem.rules() if self._is_read else ():
            if rule.solve is not None:
                work = partial(asyncio.to_thread, self._solve, rule)
                cost = await self._measure(rule.name, "rule", "", work)
                found += [] if cost is None else [(rule.name, cost)]
        return tuple(sorted(found, key=lambda one: -one[1]))

    @property
    def larger(self) -> str:
        """The set on which programs are timed besides; empty where there is none, or no reader."""
        return self.plan.problem.larger if self._is_read else ""

    @property
    def _has_readers(self) -> bool:
        spec = self.plan.spec
        return bool({*spec.writers, spec.reflector} - {BUILTIN})

    @property
    def _is_read(self) -> bool:
        shown = need_facts(self.plan.method, self.plan.spec.settings.operators)
        return self._has_readers and (shown or self.plan.problem.contract.whole)

    async def _measure(
        self, name: str, kind: Kind, version: str, work: Callable[[], Awaitable[Costs]]
    ) -> float | None:
        """The mean cost recorded of a solver, or reached now; None for one that fails."""
        evaluator = provenance.evaluator_version(self.plan.spec.problem)
        key = content_key("landmark", kind, name, self.design, evaluator, version)
        problem = self.plan.problem
        known = self.store.shared_measurement(key)
        if known is None:
            costs = await work()
            objectives = tuple(None if cost is None else problem.objective(cost) for cost in costs)
            known = Measurement(
                problem.name, self.plan.design_set, name, kind, objectives, seconds=None
            )
            self.store.study_log.keep_measurement(0, key, known)
        return None if known.mean is None else problem.objective(known.mean)

    def _solve(self, rule: Rule) -> Costs:
        """A rule on every instance, as far as it gets in the time of an evaluation."""
        plan = self.plan
        limit = plan.spec.settings.eval_seconds
        try:
            return solve_trusted(plan.problem, rule, plan.instances, limit).costs
        except Exception:  # a third party's solver raises anything, and is no part of the run
            return (None,)

    async def _solve_alone(self, teacher: Verdicts) -> Costs:
        try:
            rollouts = await teacher.ask(SolveAlone(self.plan.design_set))
        except PreceptorError:
            return (None,)
        return tuple(None if rollout is None else rollout.cost for rollout in rollouts)
