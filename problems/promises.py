"""What the seam of problems promises of each member, as data, and a problem that is held to it.

`PROBLEM` says what a member must be or return; `watch` gives a problem of which every answer is
looked at. `problems.conformance` has the checks that go beyond one answer.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from inspect import isfunction
from keyword import iskeyword
from numbers import Integral, Real
from types import MethodType
from typing import Any

from problems.base import (
    Argument,
    Contract,
    Field,
    Function,
    InstanceSet,
    PlainProblem,
    Problem,
    Rule,
    has_own,
)
from problems.errors import BadModule, InvalidAction, UserError
from problems.own_code import (
    Seam,
    describe,
    is_int,
    is_word,
    place_of,
    wants,
)
from problems.whole import WholeFunction


class Broken(AssertionError):
    """A promise of the seam that a problem does not keep; begins with file and line."""


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _is_count(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 0


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _all_of(kind: Any, holds: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Whether a value is of a kind, and all of its items hold."""
    return lambda value: isinstance(value, kind) and all(holds(one) for one in value)


def _tuple_of(kind: type) -> Callable[[Any], bool]:
    return _all_of(tuple, lambda one: isinstance(one, kind))


def _is_instance(value: Any) -> bool:
    return (
        dataclasses.is_dataclass(value)
        and is_word(getattr(value, "name", None))
        and hasattr(value, "reference")
        and (value.reference is None or _is_number(value.reference))
    )


_A_SET = wants(is_word, "the name of a set")
_MAYBE_A_SET = wants(_is_text, "the name of a set")
_A_STATE = wants(lambda value: value is not None, "a state")
_A_NUMBER = wants(_is_number, "a finite number")
_A_TEXT = wants(_is_text, "a text")
_RULES = wants(_tuple_of(Rule), "a tuple of Rule")
_ACTIONS = wants(_all_of(list, is_int), "a list of int")
_ABOVE_0 = wants(lambda value: _is_count(value) and value > 0, "a whole number above 0")

PROBLEM = Seam(
    Problem,
    values={
        "name": wants(is_word, "a word"),
        "contract": wants(lambda value: isinstance(value, Contract), "a Contract"),
        "design": _A_SET,
        "states": _ABOVE_0,
        "opening": wants(_is_count, "a whole number"),
        "selection": _MAYBE_A_SET,
        "larger": _MAYBE_A_SET,
        "example": _MAYBE_A_SET,
    },
    answers={
        "sets": wants(_tuple_of(InstanceSet), "a tuple of InstanceSet"),
        "load": wants(
            _all_of(tuple, _is_instance),
            "a tuple of dataclasses with a name and a reference (a number or None)",
        ),
        "seeds": _RULES,
        "rules": _RULES,
        "start": _A_STATE,
        "actions": wants(_all_of(tuple, is_int), "a tuple of int"),
        "decide": wants(is_int, "an int"),
        "fields": wants(
            lambda value: (
                isinstance(value, Mapping)
                and all(_is_text(name) and _is_number(one) for name, one in value.items())
            ),
            "finite numbers by name",
        ),
        "table": wants(
            lambda value: (
                isinstance(value, Mapping)
                and all(_all_of((list, tuple), _is_number)(column) for column in value.values())
            ),
            "a list of finite numbers by name",
        ),
        "step": _A_STATE,
        "cost": _A_NUMBER,
        "objective": _A_NUMBER,
        "draw": _A_TEXT,
        "rollout": _ACTIONS,
        "replay": _A_NUMBER,
        "seek": wants(lambda value: isinstance(value, list), "a list of states"),
        "longest": wants(_is_count, "a whole number"),
        "same_later": wants(
            lambda value: (
                value is None or _all_of((list, tuple), _all_of((set, frozenset), is_int))(value)
            ),
            "a set of actions for each decision",
        ),
        "selection_like": _A_TEXT,
        "literal": _A_TEXT,
        "simulator": _A_TEXT,
    },
    required={"name", "contract", "design", "states", *Problem.__abstractmethods__},
    broken=Broken,
    raises={"load": (UserError,)}
    | dict.fromkeys(
        ("decide", "step", "replay", "rollout", "evaluate", "encode"), (InvalidAction,)
    ),
    passing=(),
)
WHOLE = replace(
    PROBLEM,
    kind=WholeFunction,
    answers={
        **PROBLEM.answers,
        "arguments": wants(lambda value: isinstance(value, tuple), "a tuple of values"),
        "evaluate": _A_NUMBER,
        "encode": _ACTIONS,
        "draw_solution": _A_TEXT,
        "comment": _A_TEXT,
    },
)
"""The seam of whole functions; a problem of another kind may use these names as it likes."""

_GIVEN = {*filter(isfunction, (*vars(Problem).values(), *vars(WholeFunction).values()))}
"""The methods that problems inherit from us: they are no promises of a problem's own."""


def check_parts(problem: Any) -> None:
    """Refuse what is no problem: members that are missing or of another kind.

    Raises BadModule, which names the member, its line and what the seam says of it.
    """
    _seam(problem).check_members(problem)
    place = place_of(problem, "contract")
    check_contract(problem.contract, place)
    if problem.contract.whole != isinstance(problem, WholeFunction):
        told = "contract.answer is 'solution' where a problem is a WholeFunction, and only there"
        raise BadModule(f"{place}: {told}")


def _seam(own: Any) -> Seam:
    """What a problem has to be."""
    return WHOLE if isinstance(own, WholeFunction) else PROBLEM


def check_contract(contract: Contract, place: str) -> None:
    """Refuse a contract whose parts are of another kind than it says. Raises BadModule."""
    answers = ("score", "action", "solution")
    fields = {
        "answer": wants(lambda value: value in answers, "'score', 'action' or 'solution'"),
        "arguments": wants(
            lambda value: value and _tuple_of(Argument)(value), "a tuple of Argument"
        ),
    }
    if contract.scipy not in (False, contract.whole):
        told = "contract.scipy is for problems whose answer is 'solution'"
        raise BadModule(f"{place}: {told}")
    texts = ("task", "function", "result", "objective", "sizes")
    for name, fault in {**dict.fromkeys(texts, _A_TEXT), **fields}.items():
        if wrong := fault(getattr(contract, name)):
            raise BadModule(f"{place}: contract.{name} is {wrong}")
    for name in (contract.function, *(argument.name for argument in contract.arguments)):
        if not _is_name(name):
            raise BadModule(f"{place}: {name!r} in the contract is no name in Python")
    for argument in contract.arguments:
        if wrong := wants(_tuple_of(Field), "a tuple of Field")(argument.fields):
            raise BadModule(f"{place}: fields of argument {argument.name} is {wrong}")
        for field in argument.fields:
            told = f"{place}: field {field.name!r} of argument {argument.name} in the contract"
            if not isinstance(field.name, str) or not all(map(_is_name, field.name.split("."))):
                raise BadModule(f"{told} is no name in Python (dotted where it is nested)")
            for part in ("unit", "meaning"):
                if wrong := _A_TEXT(getattr(field, part)):
                    raise BadModule(f"{told}: its {part} is {wrong}")


def _is_name(value: object) -> bool:
    """Whether a program can call something so."""
    return isinstance(value, str) and value.isidentifier() and not iskeyword(value)


class Watched(PlainProblem):
    """A problem of which all answers are looked at: a method that breaks the seam raises Broken.

    What the seam lets a method raise passes through, and so does what a program raises. `asked`
    counts the calls of each method.
    """

    def __init__(self, own: Any) -> None:
        super().__init__(own)
        self.asked: Counter[str] = Counter()
        self.seam = _seam(own)
        for name in self.seam.answers:
            method = getattr(own, name, None)
            if (function := getattr(method, "__func__", None)) in _GIVEN:
                vars(self)[name] = MethodType(function, self)  # it asks the others
            elif method is not None:
                vars(self)[name] = partial(self._ask, name)

    def _ask(self, name: str, *arguments: Any) -> Any:
        self.asked[name] += 1
        answer = self.seam.ask(self.own, name, *arguments)
        if name == "decide" and answer not in self.own.actions(arguments[1]):
            told = f"decide() returned {answer}, which is none of the feasible actions"
            raise Broken(PROBLEM.tell(self.own, told, name))
        return answer


def watch(problem: Problem) -> Watched:
    """The same problem, with every answer looked at."""
    return problem if isinstance(problem, Watched) else Watched(bare(problem))  # type: ignore[abstract]


def bare(problem: Problem) -> Any:
    """The problem itself, where it was wrapped."""
    return problem.own if isinstance(problem, PlainProblem) else problem


def expect(holds: object, problem: Problem, method: str, said: str) -> None:
    """Raise Broken unless it `holds`, with the line of the method and what the seam says of it."""
    if not holds:
        raise Broken(WHOLE.tell(bare(problem), f"{method}{said}", method))


def find_fault(problem: Problem, instance: Any, actions: Sequence[int]) -> str:
    """What a problem itself does wrong along an action list; "" where the list is at fault.

    As long as its actions are feasible, nothing that the rules raise can be blamed on it. Of a
    whole solution they may refuse anything, but not fail.
    """
    watched = watch(problem)
    try:
        if problem.contract.whole:
            with suppress(InvalidAction):
                watched.replay(instance, actions)
            return ""
        state = watched.start(instance)
        for number, action in enumerate(actions):
            if action not in watched.actions(state):
                return ""
            told = f"() refused action {action} at step {number}, which actions() allows"
            state = step_on(watched, state, action, told)
        if not watched.actions(state):
            watched.cost(state)
            if has_own(watched, "replay"):
                watched.replay(instance, actions)
    except Broken as broken:
        return f"{broken} {name_instance(instance)}"
    except InvalidAction as error:
        place = place_of(bare(problem), "replay")
        return f"{place}: replay() refused what step() allows: {error}"
    return ""


def find_early_fault(problem: Problem, instance: Any) -> str:
    """What a problem does wrong before it asks a program for a whole solution; "" for nothing."""
    if not isinstance(bare(problem), WholeFunction):
        return ""
    try:
        given = len(watch(problem).arguments(instance))
    except Exception as error:
        return f"{error} {name_instance(instance)}"
    listed = len(problem.contract.arguments)
    told = f"arguments() returned {given} values, and the contract lists {listed} arguments"
    fault = WHOLE.tell(bare(problem), told, "arguments")
    return "" if given == listed else f"{fault} {name_instance(instance)}"


def name_instance(instance: Any) -> str:
    """An instance, as it is named after a fault."""
    return f"(instance {getattr(instance, 'name', instance)})"


def step_on(problem: Problem, state: Any, action: int, told: str) -> Any:
    """The next state. Raises Broken, with what is `told`, where `step` refuses the action."""
    try:
        return problem.step(state, action)
    except InvalidAction as error:
        expect(False, problem, "step", f"{told}: {error}")
        raise


def compile_program(problem: Problem, rule: Rule) -> Function:
    """The function of a rule that is a program, run here: it comes with the problem.

    Raises Broken for text that defines none.
    """
    namespace: dict[str, Any] = {}
    told = f"(): {rule.name} does not define {problem.contract.signature()}"
    try:
        exec(compile(rule.code or "", f"<program {rule.name}>", "exec"), namespace)
    except SyntaxError as error:
        told = f"(): line {error.lineno} of {rule.name} is no Python: {error.msg}"
    except Exception as error:
        told = f"(): {rule.name} cannot be run: {describe(error)}"
    expect(problem.contract.function in namespace, problem, find_home(problem, rule), told)
    return namespace[problem.contract.function]


def find_home(problem: Problem, rule: Rule) -> str:
    """The method that gives a rule."""
    return "seeds" if rule in problem.seeds() else "rules"
