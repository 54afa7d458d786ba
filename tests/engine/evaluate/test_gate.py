"""The gate says what a program reads, and what is wrong with it, before anything runs."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from textwrap import dedent

import pytest

from engine.domain.values import Failure
from engine.evaluate.gate.inspect import LARGEST, Inspection, inspect
from problems.base import Argument, Contract, Field

SHOP = Contract(
    task="",
    function="score",
    arguments=(
        Argument("feature", "", (Field("processing_time", "", ""), Field("job_id", "", ""))),
        Argument(
            "state",
            "",
            (
                Field("instance.durations", "", ""),
                Field("instance.machines", "", ""),
                Field("makespan", "", ""),
            ),
        ),
    ),
    answer="score",
    result="",
    objective="",
)
TOUR = Contract(
    task="",
    function="select",
    arguments=(Argument("node", ""), Argument("unvisited", ""), Argument("matrix", "")),
    answer="action",
    result="",
    objective="",
)

WITH_WAYS = (
    "from collections import Counter\n"
    "ways = ('near', 'far')\n"
    "def names(): return set(ways)\n"
    "def helper(words): rows = set(words); return words\n"
)

BUSY = 10.0
"""CPU seconds that no text may take; the slowest of these take about one on a busy machine."""


def look(code: str, contract: Contract = SHOP) -> Inspection | Failure:
    return inspect(dedent(code), contract)


def reads(code: str, contract: Contract = SHOP) -> set[str] | None:
    inspection = look(code, contract)
    assert isinstance(inspection, Inspection), inspection
    return None if inspection.reads is None else set(inspection.reads)


def refusal(code: str, contract: Contract = SHOP) -> Failure:
    failure = look(code, contract)
    assert isinstance(failure, Failure)
    return failure


# What is read.


def test_names_read_on_the_arguments_are_listed_in_the_contracts_words() -> None:
    code = "def score(feature, state):\n    return feature.processing_time + state.makespan"
    assert reads(code) == {"feature.processing_time", "state.makespan"}


def test_renamed_parameters_are_listed_under_the_contracts_names() -> None:
    code = "def score(f, s):\n    return f.job_id + s.instance.durations[0][1]"
    assert reads(code) == {"feature.job_id", "state.instance.durations"}


def test_a_name_for_a_part_of_the_state_is_followed_wherever_it_is_bound() -> None:
    code = """
    def score(feature, state):
        def work(job):
            return sum(inst.durations[job])
        inst = state.instance
        table = inst.machines
        return work(feature.job_id) + len(table)
    """
    assert reads(code) == {"feature.job_id", "state.instance.durations", "state.instance.machines"}


def test_arguments_without_fields_are_listed_by_their_own_names() -> None:
    code = """
    import numpy as np

    def select(node, unvisited, matrix):
        return unvisited[np.argmin(matrix[node, unvisited])]
    """
    assert reads(code, TOUR) == {"node", "unvisited", "matrix"}


@pytest.mark.parametrize(
    "body",
    [
        "return helper(state)",
        "other = [state]; return other[0].makespan",
        "return getattr(state, 'makespan')",
        "state = feature; return state.job_id",
        "part = state.instance; part = 1; return part",
        "return max((state.instance, 0), key=id_of)",
        "return (lambda state: state.makespan)(state)",
        "for state in (1, 2): pass\n    return state",
    ],
)
def test_nothing_is_promised_once_an_argument_escapes(body: str) -> None:
    helpers = "def helper(x):\n    return x.makespan\ndef id_of(x):\n    return 0\n"
    assert reads(f"{helpers}def score(feature, state):\n    {body}\n") is None


def test_an_unknown_name_is_answered_with_the_valid_ones() -> None:
    failure = refusal("def score(feature, state):\n    x = 1\n    return state.makespn")
    assert (failure.kind, failure.line, failure.repairable) == ("unknown name", 3, True)
    assert "`state.makespn`" in failure.message
    assert "state.instance.durations, state.instance.machines, state.makespan" in failure.message


def test_an_unknown_name_on_a_part_of_the_state_is_found_too() -> None:
    failure = refusal("def score(f, s):\n    inst = s.instance\n    return inst.jobs")
    assert failure.kind == "unknown name"
    assert "`state.instance.jobs`" in failure.message


# What may be written.


@pytest.mark.parametrize(
    "code",
    [
        # helper functions, constants, annotations, docstrings
        '''
        """A rule."""
        from __future__ import annotations
        import math
        from typing import Sequence

        WEIGHTS = (0.3, -1.5e2, math.pi / 2)
        EPSILON = 1e-9
        INFINITY = float("inf")
        Vector = Sequence[float]
        square = lambda x: x * x

        def slack(durations: Vector, op: int = 0) -> float:
            return sum(durations[op:])

        def score(feature, state) -> float:
            """Longest work first."""
            rest = slack(state.instance.durations[feature.job_id])
            return square(rest) * WEIGHTS[0] / max(EPSILON, state.makespan)
        ''',
        # imports inside, nested functions with their own state, builtins' names as variables
        """
        def score(feature, state):
            import math
            from collections import Counter
            id, hash, time, input = feature.job_id, 1, 2, 3
            seen = Counter()
            calls = 0

            def count(x):
                nonlocal calls
                calls += 1
                seen[x] += 1
                return calls

            try:
                count(id)
            except (ValueError, ZeroDivisionError):
                pass
            return math.log1p(calls + hash + time + input)
        """,
        # an unused import of a module that would be refused in use
        """
        import random, time

        def score(feature, state, weight=0.5):
            return weight * feature.processing_time
        """,
    ],
)
def test_ordinary_programs_pass(code: str) -> None:
    assert isinstance(look(code), Inspection)


@pytest.mark.parametrize(
    "line",
    [
        "raise ValueError(f'{state.makespan!r:>5}' + str(state))",
        "raise ValueError('%s of {}'.format(state))",
        "assert state.makespan, '%s' % state.makespan",
        "print(repr(state), f'{state.makespan:.1f}')",
        "return {'near': 1}['near'] + isinstance(state, str) + (type(state) is str)",
    ],
)
def test_text_of_values_belongs_into_errors_and_what_is_printed(line: str) -> None:
    assert isinstance(look(f"def score(feature, state):\n    {line}"), Inspection)


def test_ordinary_array_programs_pass() -> None:
    code = """
    import numpy as np
    from numpy.linalg import norm

    def select(node: int, unvisited: np.ndarray, matrix: np.ndarray) -> int:
        matrix = matrix.copy()
        matrix[node, :] = np.inf
        with np.errstate(divide="ignore"):
            near = matrix[node][unvisited] / np.finfo(float).eps
        mean = np.mean(matrix, where=matrix < np.inf) + norm(near) + np.linalg.norm(near)
        ranks = np.zeros(len(unvisited))
        ranks[0] = mean
        unvisited = sorted(unvisited, key=lambda k: matrix[node, k])
        ranks.partition(1)
        ranks = np.interp(ranks, [0.0, 1.0], [0.0, 2.0])
        ranks = np.sort(np.partition(ranks, 1))
        return int(unvisited[int(np.argmin(ranks))])
    """
    assert reads(code, TOUR) == {"node", "unvisited", "matrix"}


# What is no program under the contract.


def test_broken_syntax_is_a_repairable_failure_with_its_line() -> None:
    failure = refusal("def score(feature, state):\n    return (1 +")
    assert (failure.kind, failure.line, failure.repairable) == ("parse", 2, True)


@pytest.mark.parametrize(
    "code",
    [
        "def score(f, s):\n    return " + "-" * 60_000 + "1",
        "def score(f, s):\n    return " + "+".join("1" * 30_000),
        "def score(f, s):\n    return s" + ".x" * 30_000,
        "def score(f, s):\n    return '\ud800'",
        "def score(f, s):\n    return 1\0",
        "def score(f, s):\n    return " + "1" * 60_000,
        "#" * (LARGEST + 1),
    ],
    ids=["minus", "plus", "dots", "surrogate", "null", "digits", "size"],
)
def test_text_meant_to_break_the_parser_is_a_failure(code: str) -> None:
    assert refusal(code).kind == "parse"


@pytest.mark.parametrize(
    "code",
    [
        "",
        "def other(feature, state):\n    return 1",
        "def score(feature):\n    return 1",
        "def score(feature, state, more):\n    return 1",
        "def score(*everything):\n    return 1",
        "def score(feature, state, *, more):\n    return 1",
        "def score(feature, state):\n    return 1\nscore = max",
        "from math import pow as score",
        "score = lambda feature, state: 1",
    ],
)
def test_a_missing_or_ill_fitting_function_can_be_repaired(code: str) -> None:
    failure = refusal(code)
    assert (failure.kind, failure.repairable) == ("signature", True)
    assert "score(feature, state)" in failure.message


@pytest.mark.parametrize(
    "line",
    [
        "import subprocess, math",
        "import os as _os",
        "from subprocess import run",
        "from math import *",
        "from numpy.lib.stride_tricks import as_strided",
        "import ctypes",
        "class Score(dict): pass",
        "class Score: print(1)",
        "async def later(): pass",
        "print(1)",
        "for k in range(3): print(1)",
        "try: print(1)\nexcept ValueError: pass",
        "eval = eval",
        "X: (Y := []) = 0",
        "def helper(x: (Y := {})): pass",
        "def __helper(x): pass",
        "@print\ndef helper(): pass",
        "while True:\n    pass",
        "@staticmethod\ndef helper(): pass",
    ],
)
def test_what_has_no_place_outside_functions_is_forbidden_with_its_line(line: str) -> None:
    failure = refusal(f"Y = 1\n{line}\ndef score(feature, state):\n    return 1")
    assert (failure.kind, failure.line) == ("forbidden", 2)


@pytest.mark.parametrize(
    "expression",
    [
        "open('/etc/passwd')",
        "eval('1')",
        "__import__('os')",
        "__builtins__",
        "globals()",
        "vars(state)",
        "setattr(state, 'makespan', 1)",
        "getattr(state, 'make' + 'span')",
        "getattr(state, '__class__')",
        "list(map(getattr, [state], ['x']))",
        "().__class__",
        "score.__globals__",
        "(x for x in ()).gi_frame",
        "np.lib.stride_tricks.as_strided(1)",
        "np.array(1).ctypes",
        "np",
        "copy.dispatch_table",
        "operator.attrgetter('x')",
        "operator.attrgetter",
        "np.add.at",
        "np.zeros(3).setflags",
        "'{x.y}'.format_map({})",
        "''.join(['a', 'b'])",
        "np.array(1).tobytes()",
        "type('Holder', (), {})",
        "type(state)",
        "max([state], key=type)",
        "functools.update_wrapper",
        "print(1, file=state)",
        "(lambda isinstance: isinstance(8, np.dtype))(score)",
        "0x" + "f" * 5000,
        "(lambda print: print(repr(score)))(len)",
        "np.divide(1, 2, **{'where': False})",
    ],
)
def test_roads_out_of_the_language_are_forbidden_with_their_line(expression: str) -> None:
    imports = "import copy, functools, operator, typing, numpy as np"
    failure = refusal(f"{imports}\ndef score(feature, state):\n    return {expression}")
    assert (failure.kind, failure.line) == ("forbidden", 3)


@pytest.mark.parametrize(
    "line",
    [
        "from numpy import random",
        "NUMBERS = iter((1, 2))",
        "NUMBERS = (x for x in (1, 2))",
        "NUMBERS = map(abs, (1, 2))",
        "NUMBERS: object = zip((1, 2))",
        "def helper(x, seen=[]): return x",
        "def helper(x, *, seen={}): return x",
        "helper = lambda x, seen=[]: x",
    ],
)
def test_what_could_remember_a_call_is_refused_with_its_line(line: str) -> None:
    failure = refusal(f"Y = 1\n{line}\ndef score(feature, state):\n    return 1")
    assert (failure.kind, failure.line) == ("nondeterministic", 2)


@pytest.mark.parametrize(
    "line",
    [
        "RNG = random.Random(0)",
        "def helper(rng=random.Random(0)): return rng",
        "class Rule:\n    rng = np.random.default_rng(0)",
    ],
)
def test_a_generator_that_outlives_a_call_is_refused(line: str) -> None:
    head = f"import random\nimport numpy as np\n{line}"
    assert refusal(f"{head}\ndef score(feature, state):\n    return 1").kind == "nondeterministic"


@pytest.mark.parametrize(
    "body",
    [
        "return random.Random(7).random() + random.Random(feature.job_id).randint(1, 3)",
        "rng = np.random.default_rng(state.makespan); return rng.normal() + rng.integers(3)",
        "return Random(state.makespan).choice([1, 2]) + default_rng(seed=1).uniform()",
        "return default_rng(1).standard_exponential() + Random(2).betavariate(1, 2)",
    ],
)
def test_a_generator_with_a_seed_may_be_made_inside(body: str) -> None:
    head = "import random\nimport numpy as np\nfrom random import Random\n"
    head += "from numpy.random import default_rng\n"
    assert isinstance(look(f"{head}def score(feature, state):\n    {body}"), Inspection)


@pytest.mark.parametrize(
    "line",
    [
        "import os, sys as system",
        "import os.path",
        "import re, json",
        "from random import random",
        "from sys import path as p",
    ],
)
def test_imports_that_nobody_uses_pass(line: str) -> None:
    head = f"{line}\ndef score(feature, state):\n    "
    assert reads(f"{head}return 1") == set()
    used = line.split()[-1].partition(".")[0]
    assert refusal(f"{head}return {used}").kind in ("forbidden", "nondeterministic")


@pytest.mark.parametrize(
    "change",
    [
        "CACHE[0] = 1",
        "CACHE[0] += 1",
        "CACHE[0][1] = 1",
        "del CACHE[0]",
        "CACHE.append(1)",
        "CACHE[0].update(x=1)",
        "CACHE.sort()",
        "CACHE.partition(1)",
        "CACHE.x = 1",
    ],
)
@pytest.mark.parametrize(
    "line",
    ["CACHE = {}", "CACHE: list = [0]", "ONE, CACHE = 1, [2]"],
)
def test_what_stands_outside_functions_may_not_be_changed_in_one(line: str, change: str) -> None:
    failure = refusal(f"Y = 1\n{line}\ndef score(feature, state):\n    {change}\n    return 1")
    assert (failure.kind, failure.line, failure.repairable) == ("nondeterministic", 4, True)


@pytest.mark.parametrize(
    "line",
    [
        "from functools import lru_cache",
        "CACHE = {}",
        "CACHE: list = [0]",
        "TABLE = tuple([1, 2])",
        "ONE, TWO = 1, [2]",
        "if True:\n    X = 1",
        "class Score: pass",
        "TABLE = []\nfor k in range(3):\n    TABLE.append(k)",
        "try:\n    import numpy as np\nexcept ImportError:\n    np = None",
    ],
)
def test_what_stands_outside_functions_may_be_read(line: str) -> None:
    assert reads(f"Y = 1\n{line}\ndef score(feature, state):\n    return 1") == set()


@pytest.mark.parametrize(
    "statement",
    [
        "time.time()",
        "datetime.datetime.now()",
        "np.random.default_rng().random()",
        "np.random.default_rng(None).random()",
        "random.Random(None)",
        "random.Random",
        "list(map(random.Random, [0]))",
        "id(state)",
        "hash('word')",
        "np.ndarray(3)",
        "np.divide(1, 2, where=False, out=None)",
        "np.ndarray",
        "np.zeros(3, 'M8[us]')",
        "np.array('now')",
        "np.zeros(3, 'i8,M8[s]')",
        "np.zeros(3).astype(first + second)",
        "np.zeros(3, dtype=first + second)",
        "np.ma.empty(3)",
        "np.datetime64('now')",
        "np.seterr(all='ignore')",
        "statistics.NormalDist().samples(1)",
        "functools.lru_cache(len)",
        "global counter",
        "score.calls = 1",
        "(lambda self: [0 for self.calls in (1,)])(score)",
        "math.pi = 3",
        "repr(score)",
        "f'{score}'",
        "'{0.__class__}'.format(score)",
        "str.format('{0}', state)",
        "max([score], key=repr)",
        "form % (score,)",
        "'no' + 'w'",
        "format(state.makespan)",
        "state.makespan = 0",
        "state.makespan += 1",
        "state.instance.durations[0] = 1",
        "del state.instance.durations[0]",
    ],
)
def test_what_is_no_function_of_the_arguments_is_refused_with_its_line(statement: str) -> None:
    imports = (
        "import datetime, functools, math, random, statistics, time\n"
        "import numpy as np, numpy.random as dice"
    )
    failure = refusal(f"{imports}\ndef score(feature, state):\n    {statement}\n    return 1")
    assert (failure.kind, failure.line) == ("nondeterministic", 4)


@pytest.mark.parametrize(
    "body",
    [
        "for way in {'near', 'far'}: pass",
        "for way in set(ways): pass",
        "for way in names(): pass",
        "first, second = set(ways)",
        "return list(frozenset(ways))",
        "return sum(len(way) for way in set(ways))",
        "return max(set(ways), key=len)",
        "return next(iter({way for way in ways}))",
        "return set(ways).pop()",
        "return helper(set(ways))",
        "return Counter(set(ways)).most_common(1)",
        "return tuple({1: 2}.keys() & ways)",
        "return tuple(set(ways).union(ways))",
        "seen = set(); seen.add('near'); return [*seen]",
        "seen: object = set(ways); same = seen; return tuple(same - {1})",
        "left, right = set(ways), 1; return enumerate(left)",
    ],
)
def test_a_set_is_not_gone_through(body: str) -> None:
    failure = refusal(f"{WITH_WAYS}def score(feature, state):\n    {body}")
    assert (failure.kind, failure.line) == ("nondeterministic", WITH_WAYS.count("\n") + 2)
    assert "use sorted(...)" in failure.message


@pytest.mark.parametrize(
    "body",
    [
        "seen = set(ways); seen.add('far'); return len(seen) + ('near' in seen) + (seen == {1})",
        "return sorted(set(ways) | {'far'})[0] == max(names()) and any(set(ways))",
        "both = [set(ways)]; both[0] &= names(); return both[0].issubset(set(ways))",
        "return 1 if 'near' in {'near', 'far'} else 2",
        "rows = list(ways); return [*rows]",
        "left = set(range(3)); left.discard(1); return min(left - {2}, key=lambda k: -k)",
        "for k in {1, 2} | {3}: pass",
        "for k in set(state.instance.durations.tolist()): pass",
    ],
)
def test_a_set_may_be_asked_and_one_of_numbers_gone_through(body: str) -> None:
    found = look(f"{WITH_WAYS}def score(feature, state):\n    {body}")
    assert isinstance(found, Inspection), found


def test_setting_an_item_of_an_input_array_is_refused_and_of_a_copy_is_not() -> None:
    inputs = "def select(node, unvisited, matrix):\n    matrix[0, 0] = 1\n    return 0"
    copy = (
        "def select(node, unvisited, matrix):\n    m = matrix.copy()\n    m[0] = 1\n    return 0"
    )
    failure = refusal(inputs, TOUR)
    assert (failure.kind, failure.line) == ("nondeterministic", 2)
    assert "`matrix`" in failure.message
    assert isinstance(look(copy, TOUR), Inspection)


def test_odd_escapes_in_a_string_raise_no_warning_of_ours() -> None:
    assert reads("def score(f, s):\n    '\\d'\n    return 1") == set()


HEAD = "def score(feature, state):\n"


@pytest.mark.parametrize(
    "code",
    [
        HEAD + "    " + ";".join(f"a{i}=a{i + 1}" for i in range(4400)) + ";a4400=state\n",
        HEAD + "    " + ";".join(f"a{i}=a{i + 1}|a{i + 2}" for i in range(3000)) + "\n    [*a0]",
        HEAD + "    x = " + ",".join("state" + ".x" * 90 for _ in range(320)),
        HEAD + "    x = " + ",".join("f" + "(0)" * 90 for _ in range(220)),
        HEAD + "    x = f'" + "{a}" * 20_000 + "'",
        "import " + ",".join(f"math as m{i}" for i in range(4500)) + f"\n{HEAD}    return 1",
        "".join(f"def f{i}(a=1):\n return a\n" for i in range(2300)) + f"{HEAD}    return 1",
        "".join(" " * k + f"def f{k}():\n" for k in range(90))
        + " " * 90
        + f"1\n{HEAD}    return 1",
    ],
    ids=lambda code: str(len(code)),
)
def test_no_text_keeps_the_gate_busy(code: str) -> None:
    assert len(code) <= LARGEST
    started = time.process_time()
    inspect(code, SHOP)
    assert time.process_time() - started < BUSY


@pytest.mark.parametrize(
    "pattern",
    [
        "int(__class__=x)",
        "__x",
    ],
)
def test_patterns_read_no_attributes(pattern: str) -> None:
    failure = refusal(
        f"def score(feature, state):\n    match 1:\n        case {pattern}:\n            return 1"
    )
    assert (failure.kind, failure.line) == ("forbidden", 3)


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Threads that give way to each other at any moment, also while a syntax tree is made."""

    def give_way(phase: str, info: dict[str, int]) -> None:
        sum(range(50))

    interval = sys.getswitchinterval()
    thresholds = gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(10, 2, 2)
    gc.callbacks.append(give_way)
    yield
    gc.callbacks.remove(give_way)
    gc.set_threshold(*thresholds)
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("hasty_threads")
def test_programs_are_inspected_in_several_threads_at_once() -> None:
    terms = " + ".join(f"max(feature.processing_time, {k})" for k in range(40))
    code = f"def score(feature, state):\n    return {terms}\n"
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(look, [code] * 30))
    assert all(isinstance(one, Inspection) for one in found)


def test_several_refusals_are_told_at_once() -> None:
    code = """
    import numpy as np

    def score(feature, state):
        a = np.frombuffer(b"1", dtype=np.int8)
        if feature.job_id:
            b = eval("1")
            c = np.frombuffer(b"2", dtype=np.int8)
        for job in (1, 2):
            state.makespan = job
        return open("x")
    """
    found = refusal(code)
    assert found.line == 5
    assert found.message == (
        "`numpy.frombuffer` is not available to programs; line 7: `eval` is not available to "
        "programs; line 10: sets the attribute `makespan`, which could carry a value from one "
        "call to the next or change an input; use local variables; line 11: `open` is not "
        "available to programs"
    )
