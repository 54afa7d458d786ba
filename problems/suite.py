"""The contract suite of problems: checks that hold for every one, a third party's included.

Each check takes a problem and raises AssertionError; run them all over your own with

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_my_problem(check):
        check(build())
"""

from __future__ import annotations

import ast
import dataclasses
import math
import pickle
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from problems.base import (
    Decision,
    FastReplay,
    FastRollout,
    Seekable,
    Selecting,
    longest,
    plain_replay,
    replay,
    rollout,
    visited,
)
from problems.errors import InvalidAction, UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from problems.base import Function, Problem, Rule


def contract_text_names_every_argument_and_field(problem: Problem) -> None:
    """What a program may read is said in the prompt."""
    text = problem.contract.text()
    assert problem.contract.signature() in text
    for argument in problem.contract.arguments:
        assert f"`{argument.name}`" in text and argument.meaning in text
        for field in argument.fields:
            assert f"`{argument.name}.{field.name}`" in text and field.meaning in text


def sets_are_described_and_the_design_set_is_among_them(problem: Problem) -> None:
    """Set names are unique; the default design set may be looked at by searches."""
    described = {found.name: found for found in problem.sets()}
    assert len(described) == len(problem.sets())
    assert described[problem.design].design
    assert problem.states > 0


def sets_load_at_their_size_under_unique_names(problem: Problem) -> None:
    """The design set always loads; a set that is not imported yet may say so."""
    for described in problem.sets():
        instances = _loaded(problem, described.name)
        assert instances or described.name != problem.design
        assert len(instances) in (0, described.size), described.name
        assert len({instance.name for instance in instances}) == len(instances), described.name


def an_unknown_set_is_an_error_of_the_user(problem: Problem) -> None:
    """No set has this name."""
    _raises(UserError, problem.load, "no-such-set-of-instances")


def design_sets_share_no_instance_with_benchmark_sets(problem: Problem) -> None:
    """Instances are compared by their tables; names and known bounds do not count."""
    design: set[bytes] = set()
    benchmark: set[bytes] = set()
    for described in problem.sets():
        side = design if described.design else benchmark
        side.update(map(content, _loaded(problem, described.name)))
    assert design and not design & benchmark


def the_selection_set_is_apart_from_the_design_set(problem: Problem) -> None:
    """Where there is one: searches may look at it, and it shares no instance with the other."""
    if isinstance(problem, Selecting):
        described = {found.name: found for found in problem.sets()}
        assert described[problem.selection].design
        design = set(map(content, problem.load(problem.design)))
        assert not design & set(map(content, problem.load(problem.selection)))


def seeds_are_programs_under_the_contract(problem: Problem) -> None:
    """At least two, named, each a function with the contract's name and arguments, and helpers."""
    seeds = problem.seeds()
    assert len({seed.name for seed in seeds}) == len(seeds) >= 2
    assert seeds == problem.seeds(), "their order is not fixed"
    for seed in seeds:
        assert seed.idea and seed.code, seed.name
        defined = [n for n in ast.parse(seed.code).body if isinstance(n, ast.FunctionDef)]
        (function,) = (n for n in defined if n.name == problem.contract.function)
        assert [a.arg for a in function.args.args] == [a.name for a in problem.contract.arguments]


def seeds_solve_an_instance(problem: Problem) -> None:
    """Every action is feasible where it is taken, and the cost is that of the actions."""
    instance = _first(problem)
    for seed in problem.seeds():
        solved = rollout(problem, _function(problem, seed), instance)
        assert math.isfinite(problem.objective(solved.cost)), seed.name
        assert plain_replay(problem, instance, solved.actions) == solved.cost, seed.name
        assert all(map(_is_int, solved.actions)), seed.name
        assert len(solved.actions) <= longest(problem, instance), seed.name
        _check_states(problem, instance, solved.actions)


def a_program_solves_an_instance_the_same_way_twice(problem: Problem) -> None:
    """Nothing is left over from the first time."""
    instance = _first(problem)
    function = _function(problem, problem.seeds()[0])
    first, again = (rollout(problem, function, instance) for _ in range(2))
    assert (first.actions, first.cost) == (again.actions, again.cost)


def fast_paths_equal_the_plain_ones(problem: Problem) -> None:
    """Where there are any: the same actions for the seeds, the same cost for the actions."""
    instance = _first(problem)
    for seed in problem.seeds():
        function = _function(problem, seed)
        plain = rollout(problem, function, instance)
        if isinstance(problem, FastRollout):
            for reads in (None, _reads(problem, seed)):
                assert tuple(problem.rollout(function, instance, reads)) == plain.actions, (
                    seed.name
                )
                for forced in _detours(problem, instance, plain.actions):
                    walked = rollout(problem, function, instance, forced).actions
                    assert tuple(problem.rollout(function, instance, reads, forced)) == walked, (
                        seed.name
                    )
        if isinstance(problem, FastReplay):
            assert problem.replay(instance, plain.actions) == plain.cost, seed.name
        if isinstance(problem, Seekable):
            passed = list(visited(problem, instance, plain.actions))
            steps = range(0, len(passed), 3)
            assert problem.seek(instance, plain.actions, steps) == passed[::3], seed.name


def rules_solve_an_instance(problem: Problem) -> None:
    """Every rule that is no seed is either a program or a solver, and reaches a finite cost."""
    instance = _first(problem)
    seeds = problem.seeds()
    for rule in (rule for rule in problem.rules() if rule not in seeds):
        assert (rule.code is None) != (rule.solve is None), rule.name
        actions = rule.solve(instance) if rule.solve else _actions(problem, rule)
        assert math.isfinite(replay(problem, instance, actions)), rule.name


def wrong_actions_are_refused(problem: Problem) -> None:
    """Out of range, unfinished and overlong lists, by `step` and by every replay."""
    instance = _first(problem)
    actions = _actions(problem, problem.seeds()[0])
    start = problem.start(instance)
    for wrong in (-1, 10**6):
        assert wrong not in problem.actions(start)
        _raises(InvalidAction, problem.step, start, wrong)
    for walk in (replay, plain_replay):
        for bad in (actions[:-1], [*actions, actions[-1]], [*actions[:-1], 10**6]):
            _raises(InvalidAction, walk, problem, instance, bad)


def wrong_answers_of_a_program_are_refused(problem: Problem) -> None:
    """None, bool, text, lists and NaN are neither a score nor an action."""
    start = problem.start(_first(problem))
    for answer in (None, True, "0", [0], math.nan, 1j):
        _raises(InvalidAction, problem.decide, _always(answer), start)


def equal_scores_go_to_the_lowest_action(problem: Problem) -> None:
    """For problems whose programs score."""
    start = problem.start(_first(problem))
    if problem.contract.answer == "score":
        assert problem.decide(_always(0.0), start) == problem.actions(start)[0]


def decisions_travel_between_processes(problem: Problem) -> None:
    """A pickled decision comes back with the same actions, numbers and picture."""
    instance = _first(problem)
    actions = _actions(problem, problem.seeds()[0])
    step = len(actions) // 2
    state = list(visited(problem, instance, actions))[step]
    decision = Decision(0, step, state, problem.actions(state), actions[step])
    copy = pickle.loads(pickle.dumps(decision))
    assert (copy.step, copy.actions, copy.chosen) == (step, decision.actions, actions[step])
    assert problem.actions(copy.state) == decision.actions
    assert problem.fields(copy.state, copy.chosen) == problem.fields(state, copy.chosen)
    assert problem.draw(copy.state) == problem.draw(state)


CHECKS: tuple[Callable[[Problem], None], ...] = (
    contract_text_names_every_argument_and_field,
    sets_are_described_and_the_design_set_is_among_them,
    sets_load_at_their_size_under_unique_names,
    an_unknown_set_is_an_error_of_the_user,
    design_sets_share_no_instance_with_benchmark_sets,
    the_selection_set_is_apart_from_the_design_set,
    seeds_are_programs_under_the_contract,
    seeds_solve_an_instance,
    a_program_solves_an_instance_the_same_way_twice,
    fast_paths_equal_the_plain_ones,
    rules_solve_an_instance,
    wrong_actions_are_refused,
    wrong_answers_of_a_program_are_refused,
    equal_scores_go_to_the_lowest_action,
    decisions_travel_between_processes,
)


def _check_states(problem: Problem, instance: Any, actions: Sequence[int]) -> None:
    """Along a walk: actions ascend, `step` leaves its state alone, fields and picture fit."""
    states = list(visited(problem, instance, actions))
    for step in {0, len(states) // 2, len(states) - 1}:
        state = states[step]
        action = actions[step]
        feasible = problem.actions(state)
        before = pickle.dumps(state)
        assert action in feasible and all(a < b for a, b in pairwise(feasible))
        problem.step(state, action)
        fields = problem.fields(state, action)
        assert fields and all(math.isfinite(value) for value in fields.values())
        lines = problem.draw(state).splitlines()
        assert 0 < len(lines) <= 24 and max(map(len, lines)) <= 80
        assert pickle.dumps(state) == before, "a state was changed"
    final = problem.step(states[-1], actions[-1])
    assert problem.actions(final) == ()
    assert problem.draw(final)


def _detours(problem: Problem, instance: Any, actions: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The first actions of a walk and another one after them, early, midway and at the end."""
    states = list(visited(problem, instance, actions))
    for step in (0, len(actions) // 2, len(actions) - 1):
        yield (*actions[:step], problem.actions(states[step])[-1])


def _first(problem: Problem) -> Any:
    return problem.load(problem.design)[0]


def _loaded(problem: Problem, name: str) -> tuple[Any, ...]:
    try:
        return problem.load(name)
    except UserError:
        return ()


def _function(problem: Problem, rule: Rule) -> Function:
    namespace: dict[str, Any] = {}
    exec(rule.code or "", namespace)
    return namespace[problem.contract.function]


def _actions(problem: Problem, rule: Rule) -> list[int]:
    return [*rollout(problem, _function(problem, rule), _first(problem)).actions]


def _reads(problem: Problem, rule: Rule) -> frozenset[str]:
    """At least the names that a seed reads, found in its text."""
    names = (f"{a.name}.{f.name}" for a in problem.contract.arguments for f in a.fields)
    return frozenset(name for name in names if name in (rule.code or ""))


def content(instance: Any) -> bytes:
    """The tables of an instance, by which two are the same whatever their names."""
    values = [getattr(instance, field.name) for field in dataclasses.fields(instance)]
    return _bytes(tuple(v for v in values if isinstance(v, tuple) or hasattr(v, "tobytes")))


def _bytes(value: Any) -> bytes:
    if isinstance(value, tuple):
        return b"(%s)" % b",".join(map(_bytes, value))
    return bytes(value.tobytes()) if hasattr(value, "tobytes") else repr(value).encode()


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _always(answer: object) -> Function:
    return lambda *_: answer


def _raises(error: type[Exception], call: Callable[..., object], *arguments: object) -> None:
    try:
        call(*arguments)
    except error:
        return
    raise AssertionError(f"no {error.__name__} for {arguments[-1]!r}")
