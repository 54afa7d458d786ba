"""What the seam of problems promises, as data, and the checks of it that hold for every problem.

`PROBLEM` says of each member what it must be or return, `watch` looks at all that a problem
answers, and each of `CHECKS` takes a problem and raises AssertionError, whose text begins with
file and line and ends with what the seam says. `preceptor check ./DIR` runs them all, or run them
over your own with

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_my_problem(check):
        check(build())
"""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import math
import pickle
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from functools import partial, wraps
from inspect import isfunction
from itertools import pairwise
from keyword import iskeyword
from numbers import Integral, Number, Real
from operator import attrgetter
from types import MethodType
from typing import TYPE_CHECKING, Any

from problems.base import (
    Argument,
    Contract,
    Decision,
    Field,
    InstanceSet,
    PlainProblem,
    Problem,
    Rule,
    as_problem,
    has_own,
    rollout,
    visited,
)
from problems.errors import BadModule, InvalidAction, UserError
from problems.own_code import (
    Seam,
    blame,
    describe,
    is_in_program,
    is_int,
    is_word,
    place_of,
    wants,
)
from problems.whole import LARGEST, WholeFunction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from problems.base import Function, Rollout

    Check = Callable[[Problem], None]

READ = 16
"""States of a walk in which all fields of the contract are read."""

FIRST_STEPS = 4
"""Steps that are looked at before any program walks through an instance."""

CHECKS: tuple[Check, ...] = ()
"""The contract suite, in the order in which the checks are defined below."""


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
    WholeFunction,
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
        "arguments": wants(lambda value: isinstance(value, tuple), "a tuple of values"),
        "evaluate": _A_NUMBER,
        "encode": _ACTIONS,
        "draw_solution": _A_TEXT,
    },
    required={"name", "contract", "design", "states", *Problem.__abstractmethods__},
    broken=Broken,
    raises={"load": (UserError,)}
    | dict.fromkeys(
        ("decide", "step", "replay", "rollout", "evaluate", "encode"), (InvalidAction,)
    ),
    passing=(),
)

_GIVEN = {*filter(isfunction, (*vars(Problem).values(), *vars(WholeFunction).values()))}
"""The methods that problems inherit from us: they are no promises of a problem's own."""


def check_parts(problem: Any) -> None:
    """Refuse what is no problem: members that are missing or of another kind.

    Raises BadModule, which names the member, its line and what the seam says of it.
    """
    PROBLEM.check_members(problem)
    place = place_of(problem, "contract")
    check_contract(problem.contract, place)
    if problem.contract.whole != isinstance(problem, WholeFunction):
        told = "contract.answer is 'solution' where a problem is a WholeFunction, and only there"
        raise BadModule(f"{place}: {told}")


def check_contract(contract: Contract, place: str) -> None:
    """Refuse a contract whose parts are of another kind than it says. Raises BadModule."""
    fields = {"answer": wants({"score", "action", "solution"}.__contains__, _ANSWERS)}
    fields["arguments"] = wants(
        lambda value: value and _tuple_of(Argument)(value), "a tuple of Argument"
    )
    for name in ("task", "function", "result", "objective", "sizes"):
        fields[name] = wants(_is_text, "a text")
    for name, fault in fields.items():
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
                if wrong := wants(_is_text, "a text")(getattr(field, part)):
                    raise BadModule(f"{told}: its {part} is {wrong}")


_ANSWERS = "'score', 'action' or 'solution'"


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
        for name in PROBLEM.answers:
            method = getattr(own, name, None)
            if (function := getattr(method, "__func__", None)) in _GIVEN:
                vars(self)[name] = MethodType(function, self)  # it asks the others
            elif method is not None:
                vars(self)[name] = partial(self._ask, name)

    def _ask(self, name: str, *arguments: Any) -> Any:
        self.asked[name] += 1
        answer = PROBLEM.ask(self.own, name, *arguments)
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
        raise Broken(PROBLEM.tell(bare(problem), f"{method}{said}", method))


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
            state = _step(watched, state, action, told)
        if not watched.actions(state):
            watched.cost(state)
            if has_own(watched, "replay"):
                watched.replay(instance, actions)
    except Broken as broken:
        return f"{broken} (instance {getattr(instance, 'name', instance)})"
    except InvalidAction as error:
        place = place_of(bare(problem), "replay")
        return f"{place}: replay() refused what step() allows: {error}"
    return ""


def _step(problem: Problem, state: Any, action: int, told: str) -> Any:
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
    expect(problem.contract.function in namespace, problem, _home(problem, rule), told)
    return namespace[problem.contract.function]


def _home(problem: Problem, rule: Rule) -> str:
    """The method that gives a rule."""
    return "seeds" if rule in problem.seeds() else "rules"


def _check(check: Check) -> Check:
    """Add a check to the suite, to be run on a problem whose every answer is looked at."""
    global CHECKS

    @wraps(check)
    def run(problem: Problem) -> None:
        check(watch(as_problem(problem)))

    CHECKS += (run,)
    return run


@_check
def contract_text_names_every_argument_and_field(problem: Problem) -> None:
    """What a program may read is said in the prompt."""
    check_parts(bare(problem))
    text = problem.contract.text()
    assert problem.contract.signature() in text
    for argument in problem.contract.arguments:
        assert f"`{argument.name}`" in text and argument.meaning in text
        for field in argument.fields:
            assert f"`{argument.name}.{field.name}`" in text and field.meaning in text


@_check
def sets_are_described_and_the_design_set_is_among_them(problem: Problem) -> None:
    """Set names are unique; the default design set may be looked at by searches."""
    names = [found.name for found in problem.sets()]
    expect(len(set(names)) == len(names), problem, "sets", f"() names a set twice: {names}")
    designs = [found.name for found in problem.sets() if found.design]
    told = f" is {problem.design!r}, which is no set of sets() with design=True"
    expect(problem.design in designs, problem, "design", f"{told} (these are: {designs})")


@_check
def sets_load_at_their_size_under_unique_names(problem: Problem) -> None:
    """The design set always loads; a set that is not imported yet may say so."""
    for described in problem.sets():
        name = described.name
        instances = _loaded(problem, name)
        count = len(instances)
        told = f"({name!r}) returned {count} instances, and sets() says {described.size}"
        expect(count in (0, described.size), problem, "load", told)
        told = f"({name!r}) returned no instance of the design set"
        expect(instances or name != problem.design, problem, "load", told)
        names = {instance.name for instance in instances}
        expect(len(names) == count, problem, "load", f"({name!r}) has a name twice")


@_check
def an_unknown_set_is_an_error_of_the_user(problem: Problem) -> None:
    """No set has this name."""
    name = "no-such-set-of-instances"
    told = f"({name!r}) raised no UnknownName"
    expect(_raises(UserError, problem.load, name), problem, "load", told)


@_check
def design_sets_share_no_instance_with_benchmark_sets(problem: Problem) -> None:
    """Instances are compared by their tables; names and known bounds do not count."""
    design: set[bytes] = set()
    benchmark: set[bytes] = set()
    for described in problem.sets():
        side = design if described.design else benchmark
        side.update(map(content, _loaded(problem, described.name)))
    shared = len(design & benchmark)
    told = f" gives {shared} equal instances to sets with design=True and to sets without"
    expect(design and not shared, problem, "load", told)


@_check
def the_selection_set_is_apart_from_the_design_set(problem: Problem) -> None:
    """Where there is one: searches may look at it, and it shares no instance with the other."""
    if problem.selection:
        designs = [found.name for found in problem.sets() if found.design]
        told = f" is {problem.selection!r}, which is no set of sets() with design=True"
        expect(problem.selection in designs, problem, "selection", told)
        design = set(map(content, problem.load(problem.design)))
        shared = design & set(map(content, problem.load(problem.selection)))
        told = f" shares {len(shared)} instances with the design set"
        expect(not shared, problem, "selection", told)


@_check
def seeds_are_programs_under_the_contract(problem: Problem) -> None:
    """At least two, named, each a function with the contract's name and arguments, and helpers."""
    seeds = problem.seeds()
    names = [seed.name for seed in seeds]
    told = f"() returned {len(set(names))} programs of different names; there are at least two"
    expect(len(set(names)) == len(names) >= 2, problem, "seeds", told)
    expect(seeds == problem.seeds(), problem, "seeds", "() returned others the second time")
    for seed in seeds:
        expect(
            seed.idea and seed.code, problem, "seeds", f"(): {seed.name} has no idea or no code"
        )
        _expect_signature(problem, seed)


def _expect_signature(problem: Problem, seed: Rule) -> None:
    contract = problem.contract
    compile_program(problem, seed)
    defined = [n for n in ast.parse(seed.code or "").body if isinstance(n, ast.FunctionDef)]
    named = [[a.arg for a in n.args.args] for n in defined if n.name == contract.function]
    told = f"(): {seed.name} does not define {contract.signature()}"
    expect(named == [[a.name for a in contract.arguments]], problem, "seeds", told)


@_check
def seeds_solve_an_instance(problem: Problem) -> None:
    """Every action is feasible where it is taken, and the cost is that of the actions."""
    instance = _first(problem)
    _check_first_steps(problem, instance)
    for seed in problem.seeds():
        solved = _solve(problem, seed, instance)
        problem.objective(solved.cost)
        again = _replay(problem, instance, solved.actions, seed.name)
        told = (
            f" of the actions of {seed.name} is {solved.cost}, and {again} when they are replayed"
        )
        expect(again == solved.cost, problem, "cost", told)
        most = problem.longest(instance)
        told = f"() is {most}, and {seed.name} took {len(solved.actions)} actions"
        expect(len(solved.actions) <= most, problem, "longest", told)
        _check_states(problem, instance, solved.actions)


@_check
def every_field_of_the_contract_can_be_read(problem: Problem) -> None:
    """Where a program is called it may read all of them; those that are numbers are finite."""
    instances = problem.load(problem.design)
    for instance in instances[:: max(1, len(instances) - 1)]:
        if problem.contract.whole:
            faults = [*_find_unreadable(problem, bare(problem).arguments(instance))]
            _expect_readable(problem, "arguments", faults, instance)
            continue
        actions = _solve(problem, problem.seeds()[0], instance).actions
        steps = {number * (len(actions) - 1) // (READ - 1) for number in range(READ)}
        for step, state in enumerate(visited(problem, instance, actions)):
            if step in steps:
                _expect_readable(problem, "decide", _read_fields(problem, state), instance)


def _expect_readable(problem: Problem, method: str, faults: Sequence[str], instance: Any) -> None:
    """Raise Broken for the first fault of what programs are given."""
    told = f"() gives a program {faults[0]} (instance {instance.name})" if faults else ""
    expect(not faults, problem, method, told)


def _read_fields(problem: Problem, state: Any) -> list[str]:
    """What is wrong with the fields that a program is given in a state."""
    faults: list[str] = []
    answer = 0.0 if problem.contract.answer == "score" else None

    def read(*arguments: object) -> float | None:
        faults.extend(_find_unreadable(problem, arguments))
        return answer

    with suppress(InvalidAction):  # the answer is no action
        problem.decide(read, state)
    return faults


def _find_unreadable(problem: Problem, given: Sequence[object]) -> Iterator[str]:
    """The fields of the contract that the arguments of a call lack, or that are not finite."""
    for argument, value in zip(problem.contract.arguments, given, strict=False):
        for name in [field.name for field in argument.fields] or [""]:
            label = f"{argument.name}.{name}" if name else argument.name
            try:
                found = attrgetter(name)(value) if name else value
            except Exception as error:
                yield f"no `{label}`, which the contract lists: {describe(error)}"
                continue
            if isinstance(found, Real) and not math.isfinite(found):
                yield f"`{label}` = {found}, which is not finite"


@_check
def a_program_solves_an_instance_the_same_way_twice(problem: Problem) -> None:
    """Nothing is left over from the first time."""
    instance = _first(problem)
    seed = problem.seeds()[0]
    first, again = (_solve(problem, seed, instance) for _ in range(2))
    told = f" let {seed.name} take other actions the second time: is there a random draw?"
    expect(first.actions == again.actions, problem, "decide", told)
    told = f" of the same actions is {first.cost}, and {again.cost} the second time"
    expect(first.cost == again.cost, problem, "cost", told)


@_check
def fast_paths_equal_the_plain_ones(problem: Problem) -> None:
    """Where there are any: the same actions for the seeds, the same cost for the actions."""
    instance = _first(problem)
    for seed in problem.seeds():
        function = compile_program(problem, seed)
        plain = _solve(problem, seed, instance)
        if has_own(problem, "rollout"):
            told = f"() takes other actions than the plain walk for {seed.name}"
            detours = {
                forced: rollout(problem, function, instance, forced).actions
                for forced in _detours(problem, instance, plain.actions)
            }
            for reads in (None, _reads(problem, seed)):
                fast = tuple(problem.rollout(function, instance, reads))
                expect(fast == plain.actions, problem, "rollout", told)
                for forced, walked in detours.items():
                    fast = tuple(problem.rollout(function, instance, reads, forced))
                    expect(fast == walked, problem, "rollout", f"{told}, after forced actions")
        if has_own(problem, "replay"):
            cost = problem.replay(instance, plain.actions)
            told = f"() reckons {cost} for the actions of {seed.name}, cost() {plain.cost}"
            expect(cost == plain.cost, problem, "replay", told)
        if has_own(problem, "seek"):
            passed = list(visited(problem, instance, plain.actions))
            found = problem.seek(instance, plain.actions, range(0, len(passed), 3))
            told = "() finds other states than the walk passes"
            expect(found == passed[::3], problem, "seek", told)


@_check
def rules_solve_an_instance(problem: Problem) -> None:
    """Every rule that is no seed is either a program or a solver, and reaches a finite cost."""
    instance = _first(problem)
    seeds = problem.seeds()
    for rule in (rule for rule in problem.rules() if rule not in seeds):
        told = f"(): {rule.name} has both code and solve, or neither"
        expect((rule.code is None) != (rule.solve is None), problem, "rules", told)
        if rule.solve is None:
            actions: Sequence[int] = _solve(problem, rule, instance).actions
        else:
            actions = _ask_solver(problem, rule, instance)
        cost = _replay(problem, instance, actions, rule.name)
        told = f" of the actions of {rule.name} is {cost}"
        expect(math.isfinite(cost), problem, "cost", told)


@_check
def wrong_actions_are_refused(problem: Problem) -> None:
    """Out of range, unfinished and overlong lists, by `step` and by every replay."""
    instance = _first(problem)
    actions = [*_solve(problem, problem.seeds()[0], instance).actions]
    if problem.contract.whole:
        _expect_refusal(problem, instance, actions)
        return
    start = problem.start(instance)
    for wrong in (-1, 10**6):
        told = f"() allows {wrong} in the first state"
        expect(wrong not in problem.actions(start), problem, "actions", told)
        told = f"() raised no InvalidAction for {wrong}, which is not feasible in the first state"
        expect(_raises(InvalidAction, problem.step, start, wrong), problem, "step", told)
    for place in ("replay", "step"):
        walk = Problem.replay if place == "step" else type(problem).replay
        for bad, how in (
            (actions[:-1], "an action list that ends too soon"),
            ([*actions, actions[-1]], "an action after the last"),
            ([*actions[:-1], 10**6], "the last action 1000000"),
        ):
            told = f"() raised no InvalidAction for {how}"
            expect(_raises(InvalidAction, walk, problem, instance, bad), problem, place, told)


@_check
def wrong_answers_of_a_program_are_refused(problem: Problem) -> None:
    """None, bool, text, lists and NaN are neither a score nor an action, nor a solution."""
    start = _first_choice(problem)
    lists = [math.nan] if problem.contract.whole else [0]
    for answer in (None, True, "0", lists, math.nan, 1j):
        told = f"() raised no InvalidAction for a program that returns {answer!r}"
        refused = _raises(InvalidAction, problem.decide, _always(answer), start)
        expect(refused, problem, "encode" if problem.contract.whole else "decide", told)


@_check
def equal_scores_go_to_the_lowest_action(problem: Problem) -> None:
    """For problems whose programs score."""
    start = _first_choice(problem)
    if problem.contract.answer == "score":
        chosen = problem.decide(_always(0.0), start)
        lowest = problem.actions(start)[0]
        told = f"() chose {chosen} among equal scores, and ties go to the lowest action, {lowest}"
        expect(chosen == lowest, problem, "decide", told)


@_check
def decisions_travel_between_processes(problem: Problem) -> None:
    """A pickled decision comes back with the same actions, numbers and picture."""
    if problem.contract.whole:
        return
    instance = _first(problem)
    actions = _solve(problem, problem.seeds()[0], instance).actions
    step = len(actions) // 2
    state = list(visited(problem, instance, actions))[step]
    decision = Decision(0, step, state, problem.actions(state), actions[step])
    copy = pickle.loads(_pickle(problem, decision))
    told = "() of a state that was pickled and read back returned something else"
    same = problem.actions(copy.state) == decision.actions
    expect(same, problem, "actions", told)
    fields = problem.fields(state, copy.chosen)
    expect(problem.fields(copy.state, copy.chosen) == fields, problem, "fields", told)
    expect(problem.draw(copy.state) == problem.draw(state), problem, "draw", told)


@_check
def actions_that_come_later_are_feasible_and_not_the_choice(problem: Problem) -> None:
    """Where the problem says what a rollout does later to the same effect."""
    instance = _first(problem)
    for seed in problem.seeds()[:2] if has_own(problem, "same_later") else ():
        actions = _solve(problem, seed, instance).actions
        states = enumerate(visited(problem, instance, actions))
        decisions = [Decision(0, k, s, problem.actions(s), actions[k]) for k, s in states]
        found = problem.same_later(instance, actions, decisions)
        again = problem.same_later(instance, actions, decisions)
        expect(found == again, problem, "same_later", "() found others the second time")
        for decision, later in zip(decisions, found or (), strict=bool(found)):
            told = f"() of decision {decision.step} returned {sorted(later)}"
            alternatives = {*decision.actions} - {decision.chosen}
            expect(later <= alternatives, problem, "same_later", f"{told}, not all alternatives")


NEEDED = (
    "contract_text_names_every_argument_and_field",
    "sets_are_described_and_the_design_set_is_among_them",
    "seeds_are_programs_under_the_contract",
    "seeds_solve_an_instance",
)
"""The checks without which no run makes sense: they look at one instance, and take no time."""


def _expect_refusal(problem: Problem, instance: Any, solution: Sequence[int]) -> None:
    """Whatever a solution holds, `evaluate` has a cost or refuses it; one of these it refuses."""
    wrong = [[LARGEST] * len(solution), [-1] * len(solution), [], [*solution, *solution]]
    refused = [_raises(InvalidAction, problem.replay, instance, one) for one in wrong]
    told = f"() raised no InvalidAction for any of {', '.join(map(_abridge, wrong))}"
    expect(any(refused), problem, "evaluate", told)


def _abridge(numbers: Sequence[int]) -> str:
    """A list by its first numbers."""
    return str([*numbers[:2]]).replace("]", ", ...]" if numbers[2:] else "]")


def _check_states(problem: Problem, instance: Any, actions: Sequence[int]) -> None:
    """Along a walk: actions ascend, `step` leaves its state alone, fields and picture fit."""
    if problem.contract.whole:
        written = list(visited(problem, instance, [*actions, 0]))[-1]  # the 0 is not taken
        _check_picture(problem, written, "draw_solution")
        return
    steps = {0, len(actions) // 2, len(actions) - 1}
    for step, state in enumerate(visited(problem, instance, actions)):
        if step in steps:
            _check_state(problem, state, actions[step])
        last = state
    final = problem.step(last, actions[-1])
    expect(problem.draw(final), problem, "draw", "() returned no picture of the final state")


def _check_state(problem: Problem, state: Any, action: int) -> None:
    """One state of a walk, before the next one is asked for."""
    feasible = problem.actions(state)
    told = f"() returned {feasible}, which does not ascend"
    expect(all(a < b for a, b in pairwise(feasible)), problem, "actions", told)
    _step_unchanged(problem, state, action)
    before = _pickle(problem, state)
    expect(problem.fields(state, action), problem, "fields", "() returned no number")
    _check_picture(problem, state, "draw")
    told = "() or draw() changed the state that it was given: a state is immutable"
    expect(_pickle(problem, state) == before, problem, "fields", told)


def _check_first_steps(problem: Problem, instance: Any) -> None:
    """The first steps leave their states alone, before a walk begins that relies on it."""
    state = problem.start(instance)
    for _ in range(FIRST_STEPS):
        feasible = problem.actions(state)
        if not feasible:
            return
        state = _step_unchanged(problem, state, feasible[0])


def _step_unchanged(problem: Problem, state: Any, action: int) -> Any:
    """The next state. Raises Broken where the step changes the state that it is given."""
    before = _pickle(problem, state)
    try:
        following = problem.step(state, action)
    except InvalidAction as error:
        told = f"() refused action {action}, which actions() allows: {error}"
        expect(False, problem, "step", told)
        raise
    told = "() changed the state that it was given: a state is immutable"
    expect(_pickle(problem, state) == before, problem, "step", told)
    return following


def _check_picture(problem: Problem, state: Any, method: str) -> None:
    """Whether a state can be shown on a small terminal."""
    lines = problem.draw(state).splitlines()
    wide = max(map(len, lines), default=0)
    told = f"() returned {len(lines)} lines, of {wide} columns at most"
    expect(0 < len(lines) <= 24 and wide <= 80, problem, method, told)


def _solve(problem: Problem, rule: Rule, instance: Any) -> Rollout:
    """The plain walk of a program that comes with the problem."""
    place = _home(problem, rule)
    try:
        solved = rollout(problem, compile_program(problem, rule), instance)
    except Exception as error:
        if not is_in_program(error) and not isinstance(error, InvalidAction):
            raise
        told = f"(): {rule.name} failed on instance {instance.name}: {describe(error)}"
        expect(False, problem, place, f"{told} ({''.join(getattr(error, '__notes__', ()))})")
        raise
    told = "() of the first state returned no action, so that there is nothing to decide"
    expect(solved.actions or problem.contract.whole, problem, "actions", told)
    return solved


def _replay(problem: Problem, instance: Any, actions: Sequence[int], name: str) -> float:
    """The cost of actions that are said to solve an instance."""
    try:
        return Problem.replay(problem, instance, actions)
    except InvalidAction as error:
        told = f"() refused the actions of {name}, which come from the walk itself: {error}"
        expect(False, problem, "step", told)
        raise


def _ask_solver(problem: Problem, rule: Rule, instance: Any) -> Sequence[int]:
    """The actions of a solver of whole instances."""
    assert rule.solve is not None
    try:
        return tuple(rule.solve(instance))
    except Exception as error:
        told = blame(error) or f"{place_of(rule.solve)}: {describe(error)}"
        raise Broken(f"{told}; rule {rule.name} maps an instance to its actions") from error


def _first_choice(problem: Problem) -> Any:
    """The first state of a seed's walk that has more than one action, else the very first."""
    instance = _first(problem)
    walk = visited(problem, instance, _solve(problem, problem.seeds()[0], instance).actions)
    choices = (state for state in walk if len(problem.actions(state)) > 1)
    return next(choices, problem.start(instance))


def _pickle(problem: Problem, value: Any) -> bytes:
    """A state, or a decision with it, as it travels between processes."""
    try:
        return pickle.dumps(value)
    except Exception as error:
        told = f"() returned a state that cannot be pickled: {describe(error)}"
        expect(False, problem, "start", told)
        raise


def _detours(problem: Problem, instance: Any, actions: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The first actions of a walk and another one after them, early, midway and at the end.

    A whole solution has none.
    """
    if problem.contract.whole:
        return
    states = list(visited(problem, instance, actions))
    for step in (0, len(actions) // 2, len(actions) - 1):
        yield (*actions[:step], problem.actions(states[step])[-1])


def _first(problem: Problem) -> Any:
    instances = problem.load(problem.design)
    expect(instances, problem, "load", f"({problem.design!r}) returned no instance")
    return instances[0]


def _loaded(problem: Problem, name: str) -> tuple[Any, ...]:
    try:
        return problem.load(name)
    except UserError:
        return ()


def _reads(problem: Problem, rule: Rule) -> frozenset[str]:
    """At least the names that a seed reads, found in its text."""
    names = (f"{a.name}.{f.name}" for a in problem.contract.arguments for f in a.fields)
    return frozenset(name for name in names if name in (rule.code or ""))


def content(instance: Any) -> bytes:
    """The tables of an instance, by which two are the same whatever their names."""
    values = [getattr(instance, field.name) for field in dataclasses.fields(instance)]
    return _bytes(tuple(v for v in values if isinstance(v, tuple) or hasattr(v, "tobytes")))


def identify_sets(problem: Problem) -> dict[str, str]:
    """A digest of every set's instances, names and bounds included, by the name of the set."""
    return {
        described.name: hashlib.sha256(_spell(_loaded(problem, described.name))).hexdigest()
        for described in problem.sets()
    }


def _spell(value: Any) -> bytes:
    """A value in the same bytes in every process: what has no order of its own is sorted."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _spell(tuple((f.name, getattr(value, f.name)) for f in dataclasses.fields(value)))
    if isinstance(value, dict):
        return _spell(tuple(value.items()))
    if getattr(getattr(value, "dtype", None), "hasobject", False):  # its bytes are addresses
        return _spell(value.tolist())
    if isinstance(value, tuple | list):
        return b"(%s)" % b",".join(map(_spell, value))
    if isinstance(value, set | frozenset):
        return b"{%s}" % b",".join(sorted(map(_spell, value)))
    if hasattr(value, "tobytes") or isinstance(value, str | bytes | Number | None):
        return _bytes(value)
    return type(value).__qualname__.encode()


def _bytes(value: Any) -> bytes:
    if isinstance(value, tuple):
        return b"(%s)" % b",".join(map(_bytes, value))
    return bytes(value.tobytes()) if hasattr(value, "tobytes") else repr(value).encode()


def _always(answer: object) -> Function:
    return lambda *_: answer


def _raises(error: type[Exception], call: Callable[..., object], *arguments: object) -> bool:
    try:
        call(*arguments)
    except error:
        return True
    return False
