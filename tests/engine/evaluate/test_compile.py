"""Rules in machine code: variants compiled once, who may compile, whose time it is."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import time
from asyncio import gather
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import problems
from engine.domain.values import Failure
from engine.evaluate import rollout as in_child
from engine.evaluate.compiled.compile import Variants, _load_kernel
from engine.evaluate.gate.inspect import Inspection, inspect
from engine.evaluate.pool import Evaluator, Limits
from engine.evaluate.sandbox.collect import ChildReport, _collect_claims
from engine.evaluate.sandbox.messages import (
    COMPILING,
    HEADER,
    pack_actions,
    pack_compiling,
    pack_failure,
)
from problems import ProblemRef
from tests.engine.evaluate.processes import session
from tests.engine.evaluate.test_messages import sent

JSSP: Any = problems.load("jssp")
SHOPS = JSSP.load("random-6x6")[:3]
RULE = """\
WEIGHT = {weight}
STEPS = {steps}


def _urgency(feature):
    return WEIGHT * feature.remaining_work


def score(feature, state):
    late = feature.earliest_start / {scale}
    if state.step > STEPS:
        return _urgency(feature) - late ** 1.5
    return _urgency(feature) - feature.processing_time
"""


PAIRS = ("(1.5, 0.1)", "(-2.0, 0.1)")


def rule(weight: float = 0.5, steps: int = 9, scale: float = 2.0) -> str:
    """A rule with numbers at module level, in a helper and in the function."""
    return RULE.format(weight=weight, steps=steps, scale=scale)


def walk_plain(code: str) -> list[Sequence[int]]:
    """The actions of Python."""
    namespace: dict[str, Any] = {}
    exec(code, namespace)
    return [JSSP.rollout(namespace["score"], shop, None) for shop in SHOPS]


def test_programs_that_differ_in_numbers_are_compiled_once_and_each_does_its_own() -> None:
    codes = [rule(), rule(-2.0, 20), rule(0.1, 0, 7.5), rule(3.25, 36, 0.5)]
    kernel = JSSP.kernel()
    variants = Variants(codes, JSSP.contract, kernel)
    walks = set()
    for number in (2, 0, 3, 1):
        variants.choose(number)
        found = [kernel.walk(variants.function, shop, None) for shop in SHOPS]
        assert found == walk_plain(codes[number])
        walks.add(str(found))
    assert len(walks) == len(codes)


def test_numbers_of_a_tuple_are_numbers() -> None:
    texts = [rule(steps=9).replace("WEIGHT *", "WEIGHT[0] *") for _ in range(2)]
    codes = [text.replace("= 0.5", f"= {pair}") for text, pair in zip(texts, PAIRS, strict=True)]
    kernel = JSSP.kernel()
    variants = Variants(codes, JSSP.contract, kernel)
    for number, code in enumerate(codes):
        variants.choose(number)
        found = [kernel.walk(variants.function, shop, None) for shop in SHOPS]
        assert found == walk_plain(code)


@pytest.mark.parametrize(
    "other",
    [
        rule().replace("remaining_work", "processing_time"),
        rule().replace("- late", "+ late"),
        rule(steps=9).replace("STEPS = 9", "STEPS = 9.5"),
    ],
)
def test_programs_that_differ_in_more_are_refused(other: str) -> None:
    with pytest.raises(ValueError):
        Variants([rule(), other], JSSP.contract, JSSP.kernel())


CACHED = "from functools import {name}\n\n\n@{used}\ndef twice(n):\n    return 2 * n\n\n\n"
NUMBA = "import numba\n\n\n@numba.njit\ndef twice(n):\n    return 2 * n\n\n\n"
RULE_END = "def score(feature, state):\n    return twice(feature.job_id)\n"
WHOLE_END = "def solve(durations, machines):\n    return [twice(0)]\n"


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found through /proc")
async def test_of_like_batches_at_once_one_child_waits_for_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("engine.evaluate.speed.FEW", 1)
    batches = ([rule(-1.0, 5), rule(-2.0, 5)], [rule(-3.0, 5), rule(-0.5, 5)])
    async with Evaluator.start(ProblemRef("jssp"), Limits(5, 1024), workers=2) as evaluator:
        tries = (evaluator.try_out(codes, "random-6x6", [4, 1], 1.0) for codes in batches)
        assert all(one.failure is None for found in await gather(*tries) for one in found)
        assert len(session(evaluator._zygote.process.pid)) == 1


@pytest.mark.parametrize(
    ("head", "kind", "message"),
    [
        (CACHED.format(name="cache", used="cache"), "nondeterministic", "a cache keeps values"),
        (
            CACHED.format(name="lru_cache", used="lru_cache(maxsize=None)"),
            "nondeterministic",
            "a cache keeps values",
        ),
        (NUMBA, "forbidden", "numba"),
        (NUMBA.replace("import numba", "from numba import njit"), "forbidden", "numba"),
    ],
)
def test_a_rule_keeps_nothing_and_a_whole_program_may_cache_and_compile(
    head: str, kind: str, message: str
) -> None:
    refused = inspect(head + RULE_END, JSSP.contract)
    assert isinstance(refused, Failure)
    assert (refused.kind, refused.repairable) == (kind, True)
    assert message in refused.message
    if "from numba" not in head:
        whole = problems.load(ProblemRef("jssp", (("kind", "whole"),)))
        assert isinstance(inspect(head + WHOLE_END, whole.contract), Inspection)


async def test_compiling_counts_apart_and_never_for_more_than_its_limit() -> None:
    report = ChildReport((2, 2))
    data = pack_compiling(0.25) + pack_actions(0, [0, 1]) + pack_actions(1, [1])
    await _collect_claims(sent(data), report, Limits(), None, None)
    assert (report.claims, report.compiling, report.failure) == ([(0, 1), (1,)], 0.25, None)
    await _collect_claims(
        sent(pack_compiling(1e6)), greedy := ChildReport((2,)), Limits(), None, None
    )
    assert greedy.compiling == 20


@pytest.mark.parametrize(("line", "apart"), [("", True), ("    row[:1] = 3\n", False)])
def test_what_python_takes_to_compare_a_compiled_rule_counts_apart(line: str, apart: bool) -> None:
    """A rule that keeps its time in machine code may take a hundred times as long in Python."""
    code = (
        "import numpy as np\n\n\ndef score(feature, state):\n    row = np.zeros(2)\n"
        f"    for k in range(3000):\n        row[0] += k % 7\n{line}    return row[0]\n"
    )
    problem = problems.load(ProblemRef("jssp"))
    jobs = [(instance, ()) for instance in problem.load("random-6x6")]
    plain = in_child._plain_solver(problem, code, None, False)
    theirs, ours = os.pipe()
    kept = signal.getsignal(signal.SIGXCPU)
    try:
        within = time.process_time() + 60.0  # this process has used time of its own before
        solved = [*in_child._solve_jobs(problem, code, None, plain, jobs[:40], within, ours)]
        assert len(solved) == 40
    finally:
        signal.signal(signal.SIGXCPU, kept)
        os.close(ours)
    with os.fdopen(theirs, "rb") as stream:
        data = stream.read()
    aside = []
    while data:
        kind, _, number = HEADER.unpack(data[: HEADER.size])
        aside += [number] * (kind == COMPILING)
        data = data[HEADER.size + (0 if kind == COMPILING else number) :]
    assert len(aside) == 1 + apart
    assert aside[-1] > aside[0] * apart


async def test_a_compiled_program_that_takes_too_long_is_too_slow() -> None:
    report = ChildReport((1, 1))
    data = pack_actions(0, [0]) + pack_failure(1, Failure("timeout", "the CPU time is used up"))
    await _collect_claims(sent(data), report, Limits(cpu_seconds=3), None, None)
    assert report.failure is not None
    assert report.failure.kind == "timeout"
    assert "the limit of 3 CPU seconds was reached with 1 of 2" in report.failure.message


def test_what_numba_kept_of_an_older_version_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "__pycache__/kernel._walk-59.py311.nbi"
    kept.parent.mkdir()
    kept.write_bytes(b"")
    (tmp_path / "moved.py").write_text(
        "from pathlib import Path\n\n\nclass Moved:\n    def kernel(self):\n"
        f"        if Path({str(kept)!r}).exists():\n            raise ImportError('view')\n"
        "        return 'walk'\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    found: object = _load_kernel(importlib.import_module("moved").Moved())
    assert found == "walk"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("row[:1] = 3", "numba has no put(array(float64"),
        ("row = np.argsort(row)", "kind='stable'"),
    ],
)
async def test_a_slow_rule_is_told_why_python_runs_it(
    monkeypatch: pytest.MonkeyPatch, line: str, reason: str
) -> None:
    monkeypatch.setattr("engine.evaluate.speed.FEW", 1)
    slow = (
        "import numpy as np\n\n\ndef score(feature, state):\n    total = 0.0\n"
        "    for k in range(20000):\n        total += k % 7\n"
        f"    row = np.zeros(2)\n    {line}\n    return total + row[0]\n"
    )
    async with Evaluator.start(ProblemRef("jssp"), Limits(1, 1024), workers=1) as evaluator:
        found = await evaluator.evaluate(slow, "random-6x6")
    assert found.failure is not None and found.failure.kind == "timeout"
    assert "too slow; run by Python, not compiled: " in found.failure.message
    assert reason in found.failure.message


async def test_costs_are_the_same_whether_a_rule_is_compiled_or_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    codes = [rule(), rule(-2.0, 20)]
    plain = [
        JSSP.replay(shop, walk) for shop, walk in zip(SHOPS, walk_plain(codes[1]), strict=True)
    ]
    monkeypatch.setattr("engine.evaluate.speed.FEW", 1)
    async with Evaluator.start(ProblemRef("jssp"), Limits(20, 1024), workers=1) as evaluator:
        tried = await evaluator.try_out(codes, "random-6x6", [0, 1, 2], 10.0)
        whole = await evaluator.evaluate(codes[1], "random-6x6")
    assert list(tried[1].costs) == plain == list(whole.costs[:3])
    assert tried[0].costs != tried[1].costs
    assert tried[0].failure is tried[1].failure is whole.failure is None
    assert in_child.TRIED == 2


def test_variants_take_over_others_that_differ_in_the_same_numbers() -> None:
    kernel = JSSP.kernel()
    variants = Variants([rule(-1.0, 5), rule(-2.0, 5)], JSSP.contract, kernel)
    assert variants.load([rule(3.0, 5), rule(0.5, 5)])
    variants.choose(1)
    found = [kernel.walk(variants.function, shop, None) for shop in SHOPS]
    assert found == walk_plain(rule(0.5, 5))
    assert not variants.load([rule(3.0, 6)]), "a number that was compiled as it stood"
    assert not variants.load(["def score(feature, state):\n    return 0.0\n"])


ENDLESS = """BY = {by}


def score(feature, state):
    left = 100.0
    while left > 0.0:
        left -= BY
    return left - feature.processing_time
"""


async def test_batches_in_one_child_cost_what_each_program_costs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("engine.evaluate.speed.FEW", 1)
    monkeypatch.setattr("engine.evaluate.pool.COMPILING", 2)
    batches = [
        [rule(-1.0, 5), rule(-2.0, 5)],
        [rule(-3.0, 5), rule(-0.5, 5)],
        [rule(-3.0, 20), rule(-0.5, 5)],
        [ENDLESS.format(by=1.0), ENDLESS.format(by=0.0)],
        [ENDLESS.format(by=3.0), ENDLESS.format(by=7.0)],
    ]
    async with Evaluator.start(ProblemRef("jssp"), Limits(5, 1024), workers=1) as evaluator:
        for codes in batches:
            tried = await evaluator.try_out(codes, "random-6x6", [4, 1], 0.3)
            for code, found in zip(codes, tried, strict=True):
                if "BY = 0.0" in code:
                    assert found.failure is not None
                    assert found.failure.kind == "timeout"
                    continue
                shops = JSSP.load("random-6x6")
                namespace: dict[str, Any] = {}
                exec(code, namespace)
                walks = [JSSP.rollout(namespace["score"], shops[k], None) for k in (4, 1)]
                assert [*found.costs] == [
                    JSSP.replay(shops[k], walk) for k, walk in zip((4, 1), walks, strict=True)
                ]
