"""What pays to be compiled follows from a program's text and the sizes of instances alone."""

from __future__ import annotations

import ast

import pytest

import problems
from engine.evaluate.compiled.work import Work, add, find_work
from problems.base import Compilable

LOOPS = """\
def choose(nodes, matrix):
    best = 0
    for a in nodes:
        for b in nodes:
            total = 0.0
            for c in nodes:
                total += matrix[a, b] * matrix[b, c]
            if total > best:
                best = total
    return best
"""
WALKS = [(48, 50)] * 256
LIMIT = 240.0


def work(code: str) -> Work:
    """What a program has to do."""
    return find_work(ast.parse(code), "choose")


def test_nested_loops_pay_at_the_size_of_a_design_set() -> None:
    assert work(LOOPS).pays(WALKS, LIMIT)
    assert not work(LOOPS).pays(WALKS[:2], LIMIT)


def test_a_single_loop_is_fast_enough() -> None:
    assert not work("def choose(nodes):\n    for a in nodes:\n        b = a\n").pays(WALKS, LIMIT)


def test_loops_inside_the_programs_functions_count_where_they_are_called() -> None:
    code = """\
def choose(nodes, matrix):
    best = 0
    for a in nodes:
        best += weigh(a, nodes, matrix)
    return best
def weigh(a, nodes, matrix):
    return sum(matrix[a, b] for b in nodes)
"""
    assert max(map(len, work(code).steps)) == 2


def test_a_plan_that_is_improved_until_its_time_is_over_pays() -> None:
    code = """\
def choose(nodes, matrix):
    steps = 6000 * len(nodes)
    for step in range(steps):
        a, b = nodes[step % 7], nodes[step % 11]
        gain = matrix[a, b] - matrix[b, a] + step * 0.5 - 3.0 * gain
"""
    in_every_call = work(code)
    assert not in_every_call.pays(WALKS[:16], LIMIT)
    assert add([in_every_call]).pays(WALKS, LIMIT)


def test_a_program_that_would_take_long_to_compile_is_left_to_python() -> None:
    long = work(LOOPS.replace("+= matrix", "+= " + "matrix[a, c] + " * 300 + "matrix"))
    assert long.pays(WALKS, LIMIT)
    assert not long.pays(WALKS, 20.0)


def test_handing_over_the_arguments_of_many_calls_counts() -> None:
    code = "def choose(nodes):\n    for a in nodes:\n        b = a\n"
    assert not work(code).pays([(10**6, 20)] * 128, LIMIT)


@pytest.mark.parametrize("name", ["jssp", "tsp", "cvrp", "maxcut"])
def test_every_walk_has_a_length(name: str) -> None:
    problem = problems.load(name)
    assert isinstance(problem, Compilable)
    calls, size = problem.walk_length(problem.load(problem.example)[0])
    assert 0 < size <= calls
