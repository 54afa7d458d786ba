"""A linear policy as a rule: program text under its problem's contract, without us."""

from __future__ import annotations

import numpy as np

from problems.base import Problem
from problems.errors import UserError
from teachers.base import Teacher
from teachers.field_policy.teacher import FieldNetwork


def write_rule(teacher: Teacher, problem: Problem) -> str:
    """A program that takes the teacher's choices, ties and the ninth digit of scores aside.

    Raises UserError for a teacher that is no linear policy, and where programs are not called with
    one action at a time and every field that it reads.
    """
    network = getattr(teacher, "network", None)
    if not isinstance(network, FieldNetwork):
        raise UserError(f"{teacher.name} is no policy of `preceptor teachers train PROBLEM`")
    if hidden := len(network.leave):
        told = f"{teacher.name} has {hidden} hidden units; only a linear policy becomes a rule"
        raise UserError(told)
    names = _dotted(teacher.name, problem, network)
    fields = network.fields
    lines = [f"def {problem.contract.signature()}:"]
    for name, centre, spread in zip(fields.states, fields.centres, fields.spreads, strict=True):
        lines.append(f"    {_local(names[name])} = ({names[name]} - {centre:.9g}) / {spread:.9g}")
    states = [_local(names[name]) for name in fields.states]
    lines.append("    return (")
    weights = network.weights().linear / [[unit] for unit in fields.units]
    for place, (name, row) in enumerate(zip(fields.actions, weights, strict=True)):
        lines.append(f"        {'+ ' if place else ''}{names[name]} * ({_sum(row, states)})")
    return "\n".join([f"# {teacher.name}, learned from whole rollouts.", *lines, "    )", ""])


def _sum(row: np.ndarray, states: list[str]) -> str:
    """A constant, and a multiple of each field of the state."""
    terms = [
        f" {'-' if w < 0 else '+'} {abs(w):.9g} * {s}"
        for w, s in zip(row[1:], states, strict=True)
    ]
    return "".join([f"{row[0]:.9g}", *terms])


def _local(dotted: str) -> str:
    return dotted.replace(".", "_")


def _dotted(name: str, problem: Problem, network: FieldNetwork) -> dict[str, str]:
    """What a program calls the fields that are read. Raises UserError."""
    given: dict[str, list[str]] = {}
    for argument in problem.contract.arguments:
        for field in argument.fields:
            given.setdefault(field.name, []).append(f"{argument.name}.{field.name}")
    read = (*network.fields.actions, *network.fields.states)
    lacking = [field for field in read if len(given.get(field, ())) != 1]
    if lacking:
        told = f"are not given all that {name} reads ({', '.join(lacking)})"
        raise UserError(f"programs of {problem.name} {told}, so it becomes no rule")
    if problem.contract.answer != "score":
        told = "choose among all actions at once, and do not score one"
        raise UserError(f"programs of {problem.name} {told}: {name} becomes no rule")
    return {field: given[field][0] for field in read}
