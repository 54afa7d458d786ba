"""What the seam of problems promises, checked on one problem: its parts, and what they return.

`check_parts` looks at a problem without asking it anything, `checked` at all that it answers. A
problem that breaks a promise is told so in the words of the seam, with the line of its method.
"""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import is_dataclass
from keyword import iskeyword
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, cast

from problems.base import (
    Argument,
    Bounded,
    Commuting,
    Compilable,
    Contract,
    FastReplay,
    FastRollout,
    Field,
    Following,
    Growing,
    InstanceSet,
    Opening,
    Rule,
    Seekable,
    Selecting,
    Standalone,
    replay,
)
from problems.base import Problem as Seam
from problems.errors import BadModule, InvalidAction, UserError
from problems.own_code import blame, describe, place_of, tell_promise
from problems.whole import WholeFunction

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from problems.base import Function, Problem

OPTIONAL = (
    FastRollout,
    FastReplay,
    Seekable,
    Opening,
    Bounded,
    Selecting,
    Following,
    Growing,
    Commuting,
    Standalone,
)
"""Further seams that a problem may implement."""

WHOLE = ("arguments", "evaluate", "encode", "draw_solution")
"""What a `WholeFunction` is asked, besides the parts of a `Problem`."""

LONGEST = 60
"""Characters of a wrong value that are shown."""


class Broken(AssertionError):
    """A promise of the seam that a problem does not keep; begins with file and line."""


def check_parts(problem: Any) -> None:
    """Refuse what is no problem: parts that are missing or of another kind.

    Raises BadModule, which names the part, its line and what the seam says of it.
    """
    for name, promise in _members(Seam).items():
        if not hasattr(problem, name):
            wanted = f"{name}{_parameters(promise)}" if inspect.isfunction(promise) else name
            raise BadModule(f"{place_of(problem)}: no {wanted}; {_say(name)}")
        if inspect.isfunction(promise):
            _check_method(problem, name, promise)
    for name, (holds, wanted) in _VALUES.items():
        if hasattr(problem, name) and not holds(value := getattr(problem, name)):
            found = f"{name} is {_shorten(value)}, not {wanted}"
            raise BadModule(f"{place_of(problem, name)}: {found}; {_say(name)}")
    check_contract(problem.contract, place_of(problem, "contract"))
    if problem.contract.whole != isinstance(problem, WholeFunction):
        told = "contract.answer is 'solution' where a problem is a WholeFunction, and only there"
        raise BadModule(f"{place_of(problem, 'contract')}: {told}")


def check_contract(contract: Contract, place: str) -> None:
    """Refuse a contract whose parts are of another kind than it says. Raises BadModule."""
    for name in ("task", "function", "result", "objective", "sizes"):
        if not isinstance(value := getattr(contract, name), str):
            raise BadModule(f"{place}: contract.{name} is {_shorten(value)}, not a text")
    if contract.answer not in ("score", "action", "solution"):
        answer = _shorten(contract.answer)
        wanted = "'score', 'action' or 'solution'"
        raise BadModule(f"{place}: contract.answer is {answer}, not {wanted}")
    if not _tuple_of(Argument)(contract.arguments) or not contract.arguments:
        wrong = _shorten(contract.arguments)
        raise BadModule(f"{place}: contract.arguments is {wrong}, not a tuple of Argument")
    for argument in contract.arguments:
        if not _tuple_of(Field)(argument.fields):
            wrong = _shorten(argument.fields)
            raise BadModule(
                f"{place}: fields of argument {argument.name} is {wrong}, not a tuple of Field"
            )
    for name in (contract.function, *(argument.name for argument in contract.arguments)):
        if not _is_name(name):
            raise BadModule(f"{place}: {name!r} in the contract is no name in Python")
    for argument in contract.arguments:
        for field in argument.fields:
            _check_field(field, argument, place)


def _check_field(field: Field, argument: Argument, place: str) -> None:
    """Refuse a field that no program could read. Raises BadModule."""
    told = f"{place}: field {field.name!r} of argument {argument.name} in the contract"
    if not isinstance(field.name, str) or not all(map(_is_name, field.name.split("."))):
        raise BadModule(f"{told} is no name in Python (dotted where it is nested)")
    for part in ("unit", "meaning"):
        if not isinstance(value := getattr(field, part), str):
            raise BadModule(f"{told}: its {part} is {_shorten(value)}, not a text")


def _is_name(value: object) -> bool:
    """Whether a program can call something so."""
    return isinstance(value, str) and value.isidentifier() and not iskeyword(value)


def checked(problem: Problem) -> Problem:
    """The same problem, with every answer looked at: a method that breaks the seam raises Broken.

    What the seam lets a method raise passes through, and so does what a program raises in
    `decide` and `rollout`.
    """
    if isinstance(problem, _Checked):
        return cast("Problem", problem)
    whole = isinstance(problem, WholeFunction)
    kinds = (_Checked, WholeFunction) if whole else (_Checked,)
    kind = type("Checked", kinds, {name: _delegate(problem, name) for name in _own(problem)})
    return cast("Problem", kind(problem))


class _Checked:
    """The base of checked problems; `asked` counts how often each method was."""

    def __init__(self, problem: Problem) -> None:
        self.unchecked = problem
        self.asked: Counter[str] = Counter()


def find_fault(problem: Problem, instance: Any, actions: Sequence[int]) -> str:
    """What a problem itself does wrong along an action list; "" where the list is at fault.

    As long as its actions are feasible, nothing that the rules raise can be blamed on it. Of a
    whole solution they may refuse anything, but not fail.
    """
    watched = checked(problem)
    try:
        if problem.contract.whole:
            with suppress(InvalidAction):
                replay(watched, instance, actions)
            return ""
        state = watched.start(instance)
        for number, action in enumerate(actions):
            if action not in watched.actions(state):
                return ""
            told = f"() refused action {action} at step {number}, which actions() allows"
            allowed = _steps(watched, state, action)
            expect(allowed is not None, problem, "step", told)
            state = allowed
        if not watched.actions(state):
            watched.cost(state)
            if isinstance(watched, FastReplay):
                watched.replay(instance, actions)
    except Broken as broken:
        return f"{broken} (instance {getattr(instance, 'name', instance)})"
    except InvalidAction as error:
        return f"{place_in(problem, 'replay')}: replay() refused what step() allows: {error}"
    return ""


def _steps(problem: Problem, state: Any, action: int) -> Any:
    """The next state, None where `step` refuses the action."""
    try:
        return problem.step(state, action)
    except InvalidAction:
        return None


def place_in(problem: Problem, method: str) -> str:
    """`FILE:LINE` of a method of a problem, checked or not."""
    return place_of(getattr(problem, "unchecked", problem), method)


def expect(holds: object, problem: Problem, method: str, said: str) -> None:
    """Raise Broken unless it `holds`, with the line of the method and what the seam says of it."""
    if not holds:
        raise Broken(f"{place_in(problem, method)}: {method}{said}; {_say(method)}")


def _own(problem: Problem) -> list[str]:
    """The parts of the seams that a problem has; of a `WholeFunction` those that are its own.

    What it inherits asks these, so that they are looked at.
    """
    seams = (Seam, *(seam for seam in (*OPTIONAL, Compilable) if isinstance(problem, seam)))
    names = [name for seam in seams for name in _members(seam)]
    if not isinstance(problem, WholeFunction):
        return names
    given = vars(WholeFunction)
    asked = (*names, *WHOLE)
    return [name for name in asked if getattr(type(problem), name, 0) is not given.get(name)]


def _members(seam: type) -> dict[str, Any]:
    """The public parts of a protocol, by name."""
    return {name: one for name, one in vars(seam).items() if not name.startswith("_")}


def _delegate(problem: Problem, name: str) -> Any:
    if name in _VALUES:
        return property(lambda self: getattr(self.unchecked, name))

    def asked(self: _Checked, *arguments: Any) -> Any:
        self.asked[name] += 1
        try:
            answer = getattr(self.unchecked, name)(*arguments)
        except _ALLOWED.get(name, ()):
            raise
        except Exception as error:
            if name in ("decide", "rollout") and is_in_program(error):
                raise
            raise Broken(_explain(problem, name, error)) from error
        _check_answer(problem, name, answer, arguments)
        return answer

    return asked


def compile_program(problem: Problem, rule: Rule) -> Function:
    """The function of a rule that is a program, run here: it comes with the problem.

    Raises Broken for text that defines none.
    """
    place = "seeds" if rule in problem.seeds() else "rules"
    namespace: dict[str, Any] = {}
    told = f"(): {rule.name} does not define {problem.contract.signature()}"
    try:
        exec(compile(rule.code or "", f"<program {rule.name}>", "exec"), namespace)
    except SyntaxError as error:
        told = f"(): line {error.lineno} of {rule.name} is no Python: {error.msg}"
    except Exception as error:
        told = f"(): {rule.name} cannot be run: {describe(error)}"
    expect(problem.contract.function in namespace, problem, place, told)
    return namespace[problem.contract.function]


def is_in_program(error: BaseException) -> bool:
    """Whether an error was raised in the text of a program, and not in a file."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_code.co_filename.startswith("<program")


def _explain(problem: Problem, name: str, error: Exception) -> str:
    """An error that a method may not raise, with the line that raised it."""
    told = blame(error) or f"{place_of(problem, name)}: {describe(error)} in {name}()"
    return f"{told}; {_say(name)}"


def _check_answer(problem: Problem, name: str, answer: Any, arguments: tuple[Any, ...]) -> None:
    """Raise Broken for an answer of another kind than the seam says."""
    holds, wanted = _ANSWERS[name]
    if not holds(answer):
        told = f"{name}() returned {_shorten(answer)}, not {wanted}"
        raise Broken(f"{place_of(problem, name)}: {told}; {_say(name)}")
    if name == "decide" and answer not in problem.actions(arguments[1]):
        told = f"decide() returned {answer}, which is none of the feasible actions"
        raise Broken(f"{place_of(problem, name)}: {told}; {_say(name)}")


def _check_method(problem: Any, name: str, promise: Any) -> None:
    """Refuse a part that is no method, or that does not take what the seam gives it."""
    method = getattr(problem, name)
    if not callable(method):
        told = f"{name} is {_shorten(method)}, not a method"
        raise BadModule(f"{place_of(problem, name)}: {told}; {_say(name)}")
    given = list(inspect.signature(promise).parameters)[1:]
    try:
        inspect.signature(method).bind(*given)
    except TypeError:
        own = f"{name}{inspect.signature(method, eval_str=False)}".split(" ->")[0]
        told = f"{own} cannot be called as {name}{_parameters(promise)}"
        raise BadModule(f"{place_of(problem, name)}: {told}; {_say(name)}") from None
    except ValueError:  # of a built-in function nobody knows what it takes
        return


def _parameters(promise: Any) -> str:
    """What a method of the seam is given, as after its name."""
    return f"({', '.join(list(inspect.signature(promise).parameters)[1:])})"


def _say(name: str) -> str:
    """What the seam says of one of its parts, in its own first sentence or two."""
    seams = (Seam, *OPTIONAL, Compilable, WholeFunction)
    return tell_promise(next(seam for seam in seams if name in _members(seam)), name)


def _shorten(value: Any) -> str:
    """A wrong value as it is shown."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # the value is the user's own, and then even that can fail
        text = ""
    kind = type(value).__name__
    short = text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
    return short if value is None or isinstance(value, str | bool) else f"{kind} {short}"


def is_int(value: object) -> bool:
    """Whether a value is a whole number, and no truth value."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _is_count(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 0


def _is_word(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _tuple_of(kind: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, tuple) and all(isinstance(one, kind) for one in value)


def _are_actions(value: object) -> bool:
    return isinstance(value, tuple) and all(map(is_int, value))


def _is_walk(value: object) -> bool:
    return isinstance(value, list) and all(map(is_int, value))


def _are_fields(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(name, str) and _is_number(number) for name, number in value.items()
    )


def _are_instances(value: object) -> bool:
    return isinstance(value, tuple) and all(
        is_dataclass(one)
        and _is_word(getattr(one, "name", None))
        and hasattr(one, "reference")
        and (one.reference is None or _is_number(one.reference))
        for one in value
    )


def _is_something(value: object) -> bool:
    return value is not None


_VALUES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "name": (_is_word, "a word"),
    "contract": (lambda value: isinstance(value, Contract), "a Contract"),
    "design": (_is_word, "the name of a set"),
    "states": (lambda value: _is_count(value) and value > 0, "a whole number above 0"),
    "opening": (_is_count, "a whole number"),
    "selection": (_is_word, "the name of a set"),
    "larger": (_is_word, "the name of a set"),
    "example": (_is_word, "the name of a set"),
    "compiled_from": (_is_count, "a whole number"),
}
"""Parts that are values: what they must be, and how that is said."""


def _are_sets_of_actions(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(
        isinstance(one, set | frozenset) and all(map(is_int, one)) for one in value
    )


_ANSWERS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "sets": (_tuple_of(InstanceSet), "a tuple of InstanceSet"),
    "load": (
        _are_instances,
        "a tuple of dataclasses with a name and a reference (a number or None)",
    ),
    "seeds": (_tuple_of(Rule), "a tuple of Rule"),
    "rules": (_tuple_of(Rule), "a tuple of Rule"),
    "start": (_is_something, "a state"),
    "actions": (_are_actions, "a tuple of int"),
    "decide": (is_int, "an int"),
    "fields": (_are_fields, "finite numbers by name"),
    "step": (_is_something, "a state"),
    "cost": (_is_number, "a finite number"),
    "objective": (_is_number, "a finite number"),
    "draw": (lambda value: isinstance(value, str), "a text"),
    "rollout": (_is_walk, "a list of int"),
    "replay": (_is_number, "a finite number"),
    "seek": (lambda value: isinstance(value, list), "a list of states"),
    "longest": (_is_count, "a whole number"),
    "same_later": (_are_sets_of_actions, "a set of actions for each decision"),
    "arguments": (lambda value: isinstance(value, tuple), "a tuple of values"),
    "evaluate": (_is_number, "a finite number"),
    "encode": (_is_walk, "a list of int"),
    "draw_solution": (lambda value: isinstance(value, str), "a text"),
    "literal": (_is_word, "a text"),
    "selection_like": (lambda value: isinstance(value, str), "a text"),
    "simulator": (_is_word, "a text"),
}
"""What methods return, and how that is said."""

_ALLOWED: dict[str, tuple[type[Exception], ...]] = {
    "load": (UserError,),
    "decide": (InvalidAction,),
    "step": (InvalidAction,),
    "replay": (InvalidAction,),
    "rollout": (InvalidAction,),
    "evaluate": (InvalidAction,),
    "encode": (InvalidAction,),
}
"""What the seam lets a method raise."""
