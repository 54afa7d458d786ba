"""The contract suite of problems: checks that hold for every one, a third party's included.

Each of `CHECKS` takes a problem and raises AssertionError, whose text begins with file and line
and ends with what the seam says. `preceptor check ./DIR` runs them all, or run them over your own
with

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
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial, wraps
from itertools import pairwise
from numbers import Number, Real
from operator import attrgetter
from typing import Any

from problems.base import (
    Decision,
    Function,
    Problem,
    Rollout,
    Rule,
    as_problem,
    has_own,
    rollout,
    visited,
)
from problems.errors import InvalidAction, UserError
from problems.own_code import (
    blame,
    describe,
    is_in_program,
    place_of,
)
from problems.promises import (
    Broken,
    bare,
    check_parts,
    compile_program,
    expect,
    find_early_fault,
    find_home,
    step_on,
    watch,
)
from problems.whole import LARGEST

Claim = tuple[object, str, str]
Claims = Iterator[Claim]
Check = Callable[[Problem], Claims]

READ = 16
"""States of a walk in which all fields of the contract are read."""

FIRST_STEPS = 4
"""Steps that are looked at before any program walks through an instance."""

CHECKS: tuple[Callable[[Problem], None], ...] = ()
"""The contract suite, in the order in which the checks are defined below."""


def _check(check: Check) -> Callable[[Problem], None]:
    """Add a check to the suite: of a problem whose every answer is looked at, all has to hold."""
    global CHECKS

    @wraps(check)
    def run(problem: Problem) -> None:
        watched = watch(as_problem(problem))
        for holds, method, said in check(watched):
            expect(holds, watched, method, said)

    CHECKS += (run,)
    return run


@_check
def contract_text_names_every_argument_and_field(problem: Problem) -> Claims:
    """What a program may read is said in the prompt."""
    check_parts(bare(problem))
    contract = problem.contract
    wanted = [contract.signature()]
    for argument in contract.arguments:
        wanted += [f"`{argument.name}`", argument.meaning]
        for field in argument.fields:
            wanted += [f"`{argument.name}.{field.name}`", field.meaning]
    text = contract.text()
    missing = [one for one in wanted if one not in text]
    yield not missing, "contract", f".text() does not say {missing}"


@_check
def sets_are_described_and_the_design_set_is_among_them(problem: Problem) -> Claims:
    """Set names are unique; the default design set may be looked at by searches."""
    names = [found.name for found in problem.sets()]
    yield len(set(names)) == len(names), "sets", f"() names a set twice: {names}"
    yield from _is_design_set(problem, "design")


def _is_design_set(problem: Problem, name: str) -> Claims:
    """The set that a member of the problem names may be looked at by searches."""
    chosen = getattr(problem, name)
    designs = [found.name for found in problem.sets() if found.design]
    told = f" is {chosen!r}, which is no set of sets() with design=True (these are: {designs})"
    yield chosen in designs, name, told


@_check
def sets_load_at_their_size_under_unique_names(problem: Problem) -> Claims:
    """The design set always loads; a set that is not imported yet may say so."""
    for described in problem.sets():
        name = described.name
        instances = _loaded(problem, name)
        count = len(instances)
        told = f"({name!r}) returned {count} instances, and sets() says {described.size}"
        yield count in (0, described.size), "load", told
        told = f"({name!r}) returned no instance of the design set"
        yield instances or name != problem.design, "load", told
        names = {instance.name for instance in instances}
        yield len(names) == count, "load", f"({name!r}) has a name twice"


@_check
def an_unknown_set_is_an_error_of_the_user(problem: Problem) -> Claims:
    """No set has this name."""
    name = "no-such-set-of-instances"
    yield _raises(UserError, problem.load, name), "load", f"({name!r}) raised no UnknownName"


@_check
def design_sets_share_no_instance_with_benchmark_sets(problem: Problem) -> Claims:
    """Instances are compared by their tables; names and known bounds do not count."""
    design: set[bytes] = set()
    benchmark: set[bytes] = set()
    for described in problem.sets():
        side = design if described.design else benchmark
        side.update(_contents(problem, _loaded(problem, described.name)))
    shared = len(design & benchmark)
    told = f" gives {shared} equal instances to sets with design=True and to sets without"
    yield not shared, "load", told


def _contents(problem: Problem, instances: Iterable[Any]) -> set[bytes]:
    """What instances hold; any two on which nothing is decided may be alike."""
    return {content(one) for one in instances if _has_choices(problem, one)}


@_check
def the_selection_set_is_apart_from_the_design_set(problem: Problem) -> Claims:
    """Where there is one: searches may look at it, and it shares no instance with the other."""
    if problem.selection:
        yield from _is_design_set(problem, "selection")
        sets = (problem.load(name) for name in (problem.design, problem.selection))
        design, selection = (_contents(problem, instances) for instances in sets)
        told = f" shares {len(design & selection)} instances with the design set"
        yield not design & selection, "selection", told


@_check
def seeds_are_programs_under_the_contract(problem: Problem) -> Claims:
    """At least two, or one whole function: named, with the contract's arguments, and helpers."""
    contract = problem.contract
    seeds = problem.seeds()
    names = {seed.name for seed in seeds}
    least, word = (1, "one") if contract.whole else (2, "two")
    told = f"() returned {len(names)} programs of different names; there are at least {word}"
    yield len(names) == len(seeds) >= least, "seeds", told
    yield seeds == problem.seeds(), "seeds", "() returned others the second time"
    for seed in seeds:
        yield seed.idea and seed.code, "seeds", f"(): {seed.name} has no idea or no code"
        compile_program(problem, seed)
        defined = [n for n in ast.parse(seed.code or "").body if isinstance(n, ast.FunctionDef)]
        named = [[a.arg for a in n.args.args] for n in defined if n.name == contract.function]
        told = f"(): {seed.name} does not define {contract.signature()}"
        yield named == [[a.name for a in contract.arguments]], "seeds", told


@_check
def seeds_solve_an_instance(problem: Problem) -> Claims:
    """Every action is feasible where it is taken, and the cost is that of the actions."""
    instance = _first(problem)
    state = problem.start(instance)
    for _ in range(FIRST_STEPS):  # no walk may rely on a step that changes its state
        if feasible := problem.actions(state):
            state = _step_unchanged(problem, state, feasible[0])
    if fault := find_early_fault(problem, instance):
        raise Broken(fault)
    for seed in problem.seeds():
        solved = _solve(problem, seed, instance)
        actions = solved.actions
        problem.objective(solved.cost)
        again = _replay(problem, instance, actions, seed.name)
        told = f" of the actions of {seed.name} is {solved.cost}"
        yield again == solved.cost, "cost", f"{told}, and {again} when they are replayed"
        most = problem.longest(instance)
        told = f"() is {most}, and {seed.name} took {len(actions)} actions"
        yield len(actions) <= most, "longest", told
        if problem.contract.whole:
            written = list(visited(problem, instance, [*actions, 0]))[-1]  # the 0 is not taken
            yield _fits(problem, written, "draw_solution")
            yield _fits(problem, written, "comment")
            continue
        for step, state in enumerate(visited(problem, instance, actions)):
            if step in {0, len(actions) // 2, len(actions) - 1}:
                yield from _is_state(problem, state, actions[step])
        final = problem.step(state, actions[-1])
        yield problem.draw(final), "draw", "() returned no picture of the final state"


def _is_state(problem: Problem, state: Any, action: int) -> Claims:
    """Along a walk actions ascend, `step` leaves its state alone, fields and picture fit."""
    feasible = problem.actions(state)
    told = f"() returned {feasible}, which does not ascend"
    yield all(a < b for a, b in pairwise(feasible)), "actions", told
    _step_unchanged(problem, state, action)
    before = _pickle(problem, state)
    yield problem.fields(state, action), "fields", "() returned no number"
    if has_own(problem, "table"):
        told = "() returned other numbers than fields()"
        columns = Problem.table(problem, state, feasible)
        yield dict(problem.table(state, feasible)) == columns, "table", told
    yield _fits(problem, state, "draw")
    told = "() or draw() changed the state that it was given: a state is immutable"
    yield _pickle(problem, state) == before, "fields", told


def _fits(problem: Problem, state: Any, method: str) -> Claim:
    """A state can be shown on a small terminal."""
    lines = problem.draw(state).splitlines()
    wide = max(map(len, lines), default=0)
    told = f"() returned {len(lines)} lines, of {wide} columns at most"
    return 0 < len(lines) <= 24 and wide <= 80, method, told


def _step_unchanged(problem: Problem, state: Any, action: int) -> Any:
    """The next state. Raises Broken where the step changes the state that it is given."""
    before = _pickle(problem, state)
    told = f"() refused action {action}, which actions() allows"
    following = step_on(problem, state, action, told)
    told = "() changed the state that it was given: a state is immutable"
    expect(_pickle(problem, state) == before, problem, "step", told)
    return following


@_check
def every_field_of_the_contract_can_be_read(problem: Problem) -> Claims:
    """Where a program is called it may read all of them; those that are numbers are finite."""
    instances = problem.load(problem.design)
    for instance in instances[:: max(1, len(instances) - 1)]:
        method = "arguments" if problem.contract.whole else "decide"
        for faults in _read_all(problem, instance):
            told = f"() gives a program {next(iter(faults), '')} (instance {instance.name})"
            yield not faults, method, told


def _read_all(problem: Problem, instance: Any) -> Iterator[list[str]]:
    """What is wrong with what programs are given: for a whole instance, or in some states."""
    if problem.contract.whole:
        yield [*_find_unreadable(problem, bare(problem).arguments(instance))]
        return
    actions = _solve(problem, problem.seeds()[0], instance).actions
    steps = {number * (len(actions) - 1) // (READ - 1) for number in range(READ)}
    answer = 0.0 if problem.contract.answer == "score" else None
    for step, state in enumerate(visited(problem, instance, actions)):
        faults: list[str] = []

        def read(*arguments: object, faults: list[str] = faults) -> float | None:
            faults.extend(_find_unreadable(problem, arguments))
            return answer

        if step in steps:
            with suppress(InvalidAction):  # the answer is no action
                problem.decide(read, state)
            yield faults


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
def a_program_solves_an_instance_the_same_way_twice(problem: Problem) -> Claims:
    """Nothing is left over from the first time."""
    instance = _first(problem)
    seed = problem.seeds()[0]
    first, again = (_solve(problem, seed, instance) for _ in range(2))
    told = f" let {seed.name} take other actions the second time: is there a random draw?"
    yield first.actions == again.actions, "decide", told
    told = f" of the same actions is {first.cost}, and {again.cost} the second time"
    yield first.cost == again.cost, "cost", told


@_check
def fast_paths_equal_the_plain_ones(problem: Problem) -> Claims:
    """Where there are any: the same actions for the seeds, the same cost for the actions."""
    instance = _first(problem)
    names = [f"{a.name}.{f.name}" for a in problem.contract.arguments for f in a.fields]
    for seed in problem.seeds():
        function = compile_program(problem, seed)
        plain = _solve(problem, seed, instance)
        if has_own(problem, "rollout"):
            walks: dict[tuple[int, ...], tuple[int, ...]] = {(): plain.actions}
            for forced in _detours(problem, instance, plain.actions):
                walks[forced] = rollout(problem, function, instance, forced).actions
            reads = frozenset(name for name in names if name in (seed.code or ""))
            for forced, actions in walks.items():
                told = f"() takes other actions than the plain walk for {seed.name}"
                told += ", after forced actions" if forced else ""
                for known in (None, reads):
                    fast = tuple(problem.rollout(function, instance, known, forced))
                    yield fast == actions, "rollout", told
        if has_own(problem, "replay"):
            cost = problem.replay(instance, plain.actions)
            told = f"() reckons {cost} for the actions of {seed.name}, cost() {plain.cost}"
            yield cost == plain.cost, "replay", told
        if has_own(problem, "seek"):
            passed = list(visited(problem, instance, plain.actions))
            found = problem.seek(instance, plain.actions, range(0, len(passed), 3))
            yield found == passed[::3], "seek", "() finds other states than the walk passes"


def _detours(problem: Problem, instance: Any, actions: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The first actions of a walk and another one after them, early, midway and at the end.

    A whole solution has none.
    """
    if problem.contract.whole:
        return
    states = list(visited(problem, instance, actions))
    for step in (0, len(actions) // 2, len(actions) - 1):
        yield (*actions[:step], problem.actions(states[step])[-1])


@_check
def rules_solve_an_instance(problem: Problem) -> Claims:
    """Programs and solvers of whole instances alike; seeds are another check's."""
    instance = _first(problem)
    seeds = problem.seeds()
    for rule in problem.rules():
        told = f"(): {rule.name} has both code and solve, or neither"
        yield (rule.code is None) != (rule.solve is None), "rules", told
        if rule in seeds:
            continue
        if rule.solve is None:
            actions = _solve(problem, rule, instance).actions
        else:
            try:
                actions = tuple(rule.solve(instance))
            except Exception as error:
                told = blame(error) or f"{place_of(rule.solve)}: {describe(error)}"
                told += f"; rule {rule.name} maps an instance to its actions"
                raise Broken(told) from error
        _replay(problem, instance, actions, rule.name)


@_check
def wrong_actions_are_refused(problem: Problem) -> Claims:
    """Out of range, unfinished and overlong lists, by `step` and by every replay."""
    instance = _first(problem)
    actions = [*_solve(problem, problem.seeds()[0], instance).actions]
    if problem.contract.whole:  # any list has a cost or is refused; one of these is
        wrong = [[LARGEST] * len(actions), [-1] * len(actions), [], [*actions, *actions]]
        refused = [_raises(InvalidAction, problem.replay, instance, one) for one in wrong]
        shown = [f"[{one[0]}, {one[1]}, ...]" if one[1:] else str(one) for one in wrong]
        told = f"() raised no InvalidAction for any of {', '.join(shown)}"
        yield any(refused), "evaluate", told
        return
    start = problem.start(instance)
    for bad in (-1, 10**6):
        yield bad not in problem.actions(start), "actions", f"() allows {bad} in the first state"
        told = f"() raised no InvalidAction for {bad}, which is not feasible in the first state"
        yield _raises(InvalidAction, problem.step, start, bad), "step", told
    walks: dict[str, Callable[..., float]] = {"step": partial(Problem.replay, problem)}
    if has_own(problem, "replay"):
        walks = {"replay": problem.replay, **walks}
    for method, walk in walks.items():
        for ends, how in (
            (actions[:-1], "an action list that ends too soon"),
            ([*actions, actions[-1]], "an action after the last"),
            ([*actions[:-1], 10**6], "the last action 1000000"),
        ):
            told = f"() raised no InvalidAction for {how}"
            yield _raises(InvalidAction, walk, instance, ends), method, told


@_check
def wrong_answers_of_a_program_are_refused(problem: Problem) -> Claims:
    """None, bool, text, lists and NaN are neither a score nor an action, nor a solution."""
    start = _first_choice(problem)
    lists = [math.nan] if problem.contract.whole else [0]
    for answer in (None, True, "0", lists, math.nan, 1j):
        told = f"() raised no InvalidAction for a program that returns {answer!r}"
        refused = _raises(InvalidAction, problem.decide, _always(answer), start)
        yield refused, "encode" if problem.contract.whole else "decide", told


@_check
def equal_scores_go_to_the_lowest_action(problem: Problem) -> Claims:
    """For problems whose programs score."""
    if problem.contract.answer == "score":
        start = _first_choice(problem)
        chosen = problem.decide(_always(0.0), start)
        lowest = problem.actions(start)[0]
        told = f"() chose {chosen} among equal scores, and ties go to the lowest action, {lowest}"
        yield chosen == lowest, "decide", told


@_check
def decisions_travel_between_processes(problem: Problem) -> Claims:
    """A pickled decision comes back with the same actions, numbers and picture."""
    if problem.contract.whole:
        return
    instance = _first(problem)
    actions = _solve(problem, problem.seeds()[0], instance).actions
    step = len(actions) // 2
    state = list(visited(problem, instance, actions))[step]
    decision = Decision(0, step, state, problem.actions(state), actions[step])
    copy = pickle.loads(_pickle(problem, decision)).state
    told = "() of a state that was pickled and read back returned something else"
    yield problem.actions(copy) == decision.actions, "actions", told
    fields = problem.fields(state, actions[step])
    yield problem.fields(copy, actions[step]) == fields, "fields", told
    yield problem.draw(copy) == problem.draw(state), "draw", told


@_check
def actions_that_come_later_are_feasible_and_not_the_choice(problem: Problem) -> Claims:
    """Where the problem says what a rollout does later to the same effect."""
    instance = _first(problem)
    for seed in problem.seeds()[:2] if has_own(problem, "same_later") else ():
        actions = _solve(problem, seed, instance).actions
        states = enumerate(visited(problem, instance, actions))
        decisions = [Decision(0, k, s, problem.actions(s), actions[k]) for k, s in states]
        found = problem.same_later(instance, actions, decisions)
        again = problem.same_later(instance, actions, decisions)
        yield found == again, "same_later", "() found others the second time"
        for decision, later in zip(decisions, found or (), strict=bool(found)):
            told = f"() of decision {decision.step} returned {sorted(later)}, not all alternatives"
            yield later <= {*decision.actions} - {decision.chosen}, "same_later", told


NEEDED = (
    "contract_text_names_every_argument_and_field",
    "sets_are_described_and_the_design_set_is_among_them",
    "seeds_are_programs_under_the_contract",
    "seeds_solve_an_instance",
)
"""The checks without which no run makes sense: they look at one instance, and take no time."""


def _solve(problem: Problem, rule: Rule, instance: Any) -> Rollout:
    """The plain walk of a program that comes with the problem."""
    try:
        solved = rollout(problem, compile_program(problem, rule), instance)
    except Exception as error:
        if not is_in_program(error) and not isinstance(error, InvalidAction):
            raise
        told = f"(): {rule.name} failed on instance {instance.name}: {describe(error)}"
        notes = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
        expect(False, problem, find_home(problem, rule), told + notes)
        raise
    return solved


def _replay(problem: Problem, instance: Any, actions: Sequence[int], name: str) -> float:
    """The cost of actions that are said to solve an instance."""
    try:
        return Problem.replay(problem, instance, actions)
    except InvalidAction as error:
        told = f"() refused the actions of {name}, which come from the walk itself: {error}"
        expect(False, problem, "step", told)
        raise


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


def _first(problem: Problem) -> Any:
    """The first instance of the design set on which anything is decided."""
    instances = problem.load(problem.design)
    expect(instances, problem, "load", f"({problem.design!r}) returned no instance")
    told = "() of the first state returned no action, so that there is nothing to decide"
    begins = (instance for instance in instances if _has_choices(problem, instance))
    found = next(begins, None)
    expect(found is not None, problem, "actions", told)
    return found


def _has_choices(problem: Problem, instance: Any) -> bool:
    """Whether a program is asked for anything on an instance."""
    return problem.contract.whole or bool(problem.actions(problem.start(instance)))


def _loaded(problem: Problem, name: str) -> tuple[Any, ...]:
    try:
        return problem.load(name)
    except UserError:
        return ()


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
