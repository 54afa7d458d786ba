"""What a teacher says of a program: the teacher's process and the sandbox work together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.diagnosis.advice import list_prefixes, weigh_advice
from engine.diagnosis.queries import Diagnose, ListTrials
from engine.domain.specs.settings import Settings
from engine.domain.values import DiagnosticsRow, Evaluation

if TYPE_CHECKING:
    from engine.runtime.executors.executor import Evaluations, Verdicts


@dataclass(frozen=True, slots=True)
class Consultation:
    """Asks one teacher about programs on one set, and checks so many pieces of its advice."""

    teacher: Verdicts
    evaluator: Evaluations
    set_name: str
    settings: Settings
    checks: int = 0

    async def diagnose(self, code: str, evaluation: Evaluation, guide: str = "") -> DiagnosticsRow:
        """A program's diagnostics, or why there are none; CPU seconds of all processes.

        Teacher `rollout` lets the program `guide` continue. Raises what `Evaluator.evaluate` does.
        """
        if self.teacher.spec.tries:
            found = await self._try_actions(evaluation, guide or code)
        else:
            found = await self.teacher.ask(Diagnose(evaluation.actions, self.checks))
        if self.checks and found.diagnostics is not None:
            found = await self._check_advice(code, evaluation, found)
        return found

    async def _try_actions(self, evaluation: Evaluation, guide: str) -> DiagnosticsRow:
        """What teacher `rollout` says; its time is at most that of an evaluation."""
        trials = await self.teacher.ask(ListTrials(evaluation.actions))
        seconds = self.settings.eval_seconds
        tried = await self.evaluator.continue_from(guide, self.set_name, trials, seconds)
        found = await self.teacher.ask(Diagnose(evaluation.actions, self.checks, tried.costs))
        return replace(found, cpu=found.cpu + tried.cpu)

    async def _check_advice(
        self, code: str, evaluation: Evaluation, asked: DiagnosticsRow
    ) -> DiagnosticsRow:
        """The same answer, with what taking the teacher's choices comes to.

        The time that a check may take is that of an instance in an evaluation.
        """
        assert asked.diagnostics is not None
        prefixes = list_prefixes(asked.diagnostics.cases, evaluation.actions)
        seconds = self.settings.eval_seconds * len(prefixes) / len(evaluation.actions)
        found = await self.evaluator.continue_from(code, self.set_name, prefixes, seconds)
        cases = self.settings.cases
        weighed = weigh_advice(asked.diagnostics, evaluation.costs, found.costs, cases)
        return replace(asked, diagnostics=weighed, cpu=asked.cpu + found.cpu)
