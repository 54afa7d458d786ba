"""The fast walk of a program through a whole instance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from problems.errors import InvalidAction
from problems.jssp.plan import view
from problems.jssp.simulator import Shop
from problems.shared.answers import as_index

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from problems.jssp.plan.view import Given
    from problems.jssp.sets.data import Instance


class Plan(Shop):
    """A shop that keeps the arrays that a program is given.

    `needed[j]` is the machine that the next operation of job `j` needs, -1 when it has none.
    """

    __slots__ = ("needed", "progress", "shortest", "tables")

    def __init__(self, instance: Instance) -> None:
        super().__init__(instance)
        self.tables = view.tables(instance)
        self.progress = view.empty(instance)
        self.shortest = instance.shortest
        self.needed = [row[0] for row in instance.machines]

    def given(self) -> Given:
        """The arguments of a program, as `view.progress` has them."""
        return view.given(self.tables, self.progress)

    def dispatch(self, job: int) -> None:
        """Place the next operation of an unfinished job."""
        machine, _ = self.place(job)
        operation = self.next_op[job]
        row = self.machines[job]
        self.needed[job] = row[operation] if operation < len(row) else -1
        ready = self.ends[machine][-1]
        progress = self.progress
        progress.next_op[job] = operation
        progress.job_ready[job] = self.job_ready[job]
        progress.machine_ready[machine] = ready
        view.set_gaps(progress, machine, self.idle(machine, self.shortest), ready)
        progress.next_start[job] = self._next_start(job)
        for other, needed in enumerate(self.needed):
            if needed == machine:
                progress.next_start[other] = self._next_start(other)

    def _next_start(self, job: int) -> int:
        machine = self.needed[job]
        if machine < 0:
            return -1
        duration = self.durations[job][self.next_op[job]]
        return self.slot(machine, self.job_ready[job], duration)[0]


def rollout(
    function: Callable[..., object], instance: Instance, forced: Sequence[int] = ()
) -> list[int]:
    """The actions of the plain rollout."""
    plan = Plan(instance)
    taken = list[int]()
    for step in range(instance.size):
        try:
            answer = forced[step] if step < len(forced) else function(*plan.given())
        except Exception as error:
            error.add_note(f"step {step}")
            raise
        job = as_index(answer)
        if not 0 <= job < len(plan.needed) or plan.needed[job] < 0:
            raise refuse(step, answer)
        plan.dispatch(job)
        taken.append(job)
    return taken


def refuse(step: int, action: object) -> InvalidAction:
    """What is wrong with an answer that is no candidate."""
    return InvalidAction(f"step {step}: {action!r} is no unfinished job")
