"""Any program under a problem's contract as a teacher: an expert's rule, or an earlier winner."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from problems.base import Decision, Problem
from problems.errors import BadModule, BadProgram, InvalidAction, TeacherUnavailable
from problems.own_code import blame, describe, run_module
from teachers.base import Verdict, verdict


@dataclass(frozen=True, slots=True)
class ProgramTeacher:
    """A trusted program file; it gives scores where the contract's answer is a score."""

    name: str
    fingerprint: str
    function: Callable[..., Any]
    task: Problem

    @classmethod
    def read(cls, file: Path, task: Problem) -> ProgramTeacher:
        """Run the file and take the contract's function. Raises BadProgram without one."""
        try:
            function = getattr(run_module(file, "program"), task.contract.function, None)
            code = file.read_bytes()
        except (BadModule, OSError) as error:
            raise BadProgram(str(error)) from error
        if not callable(function):
            raise BadProgram(f"{file} does not define {task.contract.signature()}")
        fingerprint = f"program {hashlib.sha256(code).hexdigest()[:16]}"
        return cls(f"program:{file}", fingerprint, function, task)

    @property
    def problem(self) -> str:
        """The problem whose contract it follows."""
        return self.task.name

    def verdicts(self, decisions: Sequence[Decision]) -> list[Verdict]:
        """One verdict per decision. Raises TeacherUnavailable where the program raises."""
        return [self._verdict(decision) for decision in decisions]

    def _verdict(self, decision: Decision) -> Verdict:
        answers: list[Any] = []

        def listening(*arguments: Any) -> Any:
            """The function, overheard: only `decide` knows how the contract calls it."""
            answers.append(self.function(*arguments))
            return answers[-1]

        try:
            action = self.task.decide(listening, decision.state)
        except InvalidAction:
            return Verdict(None, None)
        except Exception as error:
            raise TeacherUnavailable(blame(error) or f"{self.name}: {describe(error)}") from error
        if self.task.contract.answer == "score" and len(answers) == len(decision.actions):
            return verdict(decision.actions, [float(answer) for answer in answers])
        return Verdict(action, None)
