"""A calibration finds better constants, keeps to its budget, and is a function of its answers."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from engine.domain.tuning import Effect, Tuning
from engine.search.tuning.budget import MOST_TRIALS, count_rollouts, limit_seconds, split
from engine.search.tuning.calibrate import Calibration, calibrate, judge
from tests.engine.search.tuning.bench import (
    PLACE,
    Bench,
    Cost,
    parent,
    program,
    tuned,
    valley,
    weights,
)


@pytest.mark.parametrize("bottom", [(0.3,), (0.3, 4.0), (0.3, 4.0, 1.0, 2.0, 0.5)])
def test_it_finds_the_bottom_of_a_valley(bottom: tuple[float, ...]) -> None:
    found = tuned(program(*[1.1] * len(bottom)), valley(*bottom), budget=64 * 200)
    assert found.code is not None
    for value, best in zip(weights(found.code), bottom, strict=True):
        assert abs(math.log(value / best)) < 0.35


@pytest.mark.parametrize("count", [1, 2, 6])
@pytest.mark.parametrize("budget", [200, 1000, 5000])
def test_it_keeps_to_its_budget(count: int, budget: int) -> None:
    cost = valley(*[2.0] * count)
    bench = Bench(cost)
    code = program(*[0.7] * count)
    found = asyncio.run(calibrate(bench, parent(code, cost), PLACE, budget))
    used = sum(len(batch.codes) * len(batch.instances) for batch in bench.batches)
    assert used <= budget
    assert found.tuning is None or found.tuning.rollouts == used
    assert [batch.number for batch in bench.batches] == list(range(len(bench.batches)))


def test_no_trial_sees_the_half_that_judges() -> None:
    cost = valley(0.3, 4.0)
    bench = Bench(cost)
    asyncio.run(calibrate(bench, parent(program(1.1, 1.1), cost), PLACE, 3000))
    seen = {k for batch in bench.batches for k in batch.instances}
    assert seen == set(split(64).tuned)
    assert not seen & set(split(64).accepted)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 8, 64, 255, 256])
def test_halves_share_nothing_and_leave_nothing_out(count: int) -> None:
    halves = split(count)
    assert sorted((*halves.tuned, *halves.accepted)) == list(range(count))
    assert 0 <= len(halves.accepted) - len(halves.tuned) <= 1
    assert halves.part <= len(halves.tuned)
    for k in range(0, count - 1, 2):
        assert (k in halves.tuned) != (k + 1 in halves.tuned)


def test_who_lies_clearly_behind_is_not_tried_on_the_rest() -> None:
    cost = valley(1.0, 1.0)
    bench = Bench(cost)
    asyncio.run(calibrate(bench, parent(program(1.0, 1.0), cost), PLACE, 64 * 100))
    sizes = {len(batch.instances) for batch in bench.batches}
    assert sizes == {8, 24}
    first = sum(len(batch.codes) for batch in bench.batches if len(batch.instances) == 8)
    rest = sum(len(batch.codes) for batch in bench.batches if len(batch.instances) == 24)
    assert 0 < rest < first


def test_the_same_answers_lead_to_the_same_questions() -> None:
    cost = valley(0.3, 4.0, 1.0)
    asked = []
    for _ in range(2):
        bench = Bench(cost)
        asyncio.run(calibrate(bench, parent(program(1.1, 1.2, 0.7), cost), PLACE, 5000))
        asked.append(bench.batches)
    assert asked[0] == asked[1]
    bench = Bench(cost)
    elsewhere = replace(PLACE, seed=8)
    asyncio.run(calibrate(bench, parent(program(1.1, 1.2, 0.7), cost), elsewhere, 5000))
    assert bench.batches != asked[0]


def test_a_constant_that_changes_nothing_is_left_alone() -> None:
    wanted = valley(0.3, 4.0)

    def cost(values: list[float], instance: int) -> float | None:
        return wanted([values[0], values[2]], instance)

    found = tuned(program(1.1, 0.5, 1.1), cost)
    assert found.code is not None and weights(found.code)[1] == 0.5
    assert found.tuning is not None
    flat = found.tuning.constants[1]
    assert flat.up == Effect(1.5, 0.0, 0.0) and flat.down == Effect(0.666, 0.0, 0.0)


def test_what_moving_a_constant_did_is_kept_with_its_direction() -> None:
    found = tuned(program(1.1, 1.0), valley(3.0, 1.0))
    assert found.tuning is not None
    steep, settled = found.tuning.constants
    assert steep.name == "W0" and steep.before == 1.1
    assert steep.up is not None and steep.up.mean < 0 and steep.up.is_clear
    assert steep.down is not None and steep.down.mean > 0 and steep.down.is_clear
    assert settled.up is not None and settled.up.mean > 0
    assert settled.down is not None and settled.down.mean > 0


def test_programs_that_fail_are_the_worst() -> None:
    wanted = valley(3.0, 1.0)

    def cost(values: list[float], instance: int) -> float | None:
        return None if values[0] > 2.5 and instance % 4 < 3 else wanted(values, instance)

    found = tuned(program(1.1, 1.3), cost)
    assert found.code is not None and 1.5 < weights(found.code)[0] <= 2.5


def test_there_may_be_nothing_to_tune_or_too_little_to_tune_by() -> None:
    cost = valley(1.0)
    plain = parent("def score(item, state):\n    return item.a\n", lambda values, k: 1.0)
    assert asyncio.run(calibrate(Bench(cost), plain, PLACE, 999)) == Calibration(
        None, "p0007 has no constants to tune", None
    )
    assert "too few costs" in tuned(program(2.0), cost, instances=3).reason
    assert "too slow" in tuned(program(2.0), cost, budget=60).reason
    failing = replace(parent(program(2.0), cost), costs=(None,) * 64)
    assert asyncio.run(calibrate(Bench(cost), failing, PLACE, 999)).code is None


def test_a_plateau_ends_without_a_change() -> None:
    for values in [(2.0,), (2.0, 3.0)]:
        found = tuned(program(*values), lambda values, instance: 5.0 + instance)
        assert found.code is None and "none better" in found.reason


def test_whole_numbers_come_to_an_end_when_all_were_tried() -> None:
    code = "K = 3\nL = 2\ndef score(item, state):\n    return K * item.a + L * item.b\n"
    found = tuned(code, valley(4.0, 2.0), budget=64 * 5000)
    assert found.code is not None
    assert found.code.startswith("K = 4\nL = 2\n")


def test_rollouts_are_reckoned_from_recorded_seconds_and_rounded() -> None:
    one = parent(program(2.0), valley(1.0), cpu=6.4)
    assert count_rollouts(20.0, one, 32) == 160  # 0.1 s each, rounded to an eighth
    assert count_rollouts(20.0, replace(one, cpu=7.2), 32) == 160
    assert count_rollouts(20.0, replace(one, cpu=0.0), 32) == 32 * MOST_TRIALS
    assert count_rollouts(20.0, replace(one, cpu=1e-6), 32) == 32 * MOST_TRIALS
    assert limit_seconds(one, 8) == 5


def judged(gaps: list[float]) -> Calibration:
    """The verdict on a program whose costs on the other half differ by so much."""
    code = program(2.0)
    count = 2 * len(gaps)
    before = parent(code, lambda values, k: 100.0, instances=count)
    other = dict(zip(split(count).accepted, gaps, strict=True))
    costs = [100 + other.get(k, -50.0) for k in range(count)]
    found = Calibration(code, "", Tuning("p0007", (), 9, 99, 100.0, 50.0))
    return judge(found, before, costs)


def test_the_other_half_judges_by_two_standard_errors() -> None:
    assert judged([-1.0, -1.2, -0.8, -1.1]).code is not None
    turned_down = judged([-1.0, 3.0, -2.0, 1.5])
    assert turned_down.code is None
    assert "the best is worse by 0.375 ± 1.1 on the instances" in turned_down.reason
    assert turned_down.reason.endswith("which is no gain")
    assert judged([-300.0, 300.0, -301.0]).reason.endswith(
        "the best is better by 100.3 ± 200 on the instances it was not tuned on, "
        "which is not enough"
    )
    assert judged([0.0] * 8).code is None
    assert judged([-1.0] + [0.0] * 31).code is None
    assert judged([-1.0] * 8).code is not None


def test_a_program_that_fails_there_is_turned_down() -> None:
    code = program(2.0)
    before = parent(code, lambda values, k: 100.0)
    found = Calibration(code, "", Tuning("p0007", (), 9, 99, 100.0, 50.0))
    for costs in [(), (90.0,) * 63 + (None,), (None,) * 64]:
        verdict = judge(found, before, costs)
        assert verdict.code is None and "fails" in verdict.reason


SHAPES: dict[str, Callable[[random.Random], float]] = {
    "symmetric": lambda rng: rng.gauss(0, 1),
    "heavy": lambda rng: rng.gauss(0, 1) / max(0.05, abs(rng.gauss(0, 1))) ** 0.5,
    "skewed": lambda rng: rng.expovariate(1) - 1,
}
"""Differences without a mean; skewed: many small gains, few large losses."""


@pytest.mark.parametrize(
    ("half", "shape", "most"),
    [
        (8, "symmetric", 0.045),
        (32, "symmetric", 0.03),
        (128, "symmetric", 0.026),
        (32, "heavy", 0.03),
        (8, "skewed", 0.13),
        (32, "skewed", 0.065),
        (128, "skewed", 0.045),
    ],
)
def test_noise_passes_no_more_often_than_is_stated(half: int, shape: str, most: float) -> None:
    rng = random.Random(f"{half} {shape}")
    runs = 2000
    passed = 0
    for _ in range(runs):
        passed += judged([SHAPES[shape](rng) for _ in range(half)]).code is not None
    assert passed / runs <= most + 3 * math.sqrt(most * (1 - most) / runs)


def noise(values: list[float], instance: int) -> float:
    """Costs that constants change at random and never for the better."""
    base = 100 + random.Random(instance).gauss(0, 20)
    return base + random.Random(f"{values} {instance}").gauss(0, 1)


@pytest.mark.parametrize("count", [1, 3])
def test_whole_calibrations_on_noise_pass_no_more_often_either(count: int) -> None:
    passed = 0
    runs = 60
    for trial in range(runs):
        seed = 1000 * trial

        def cost(values: list[float], instance: int, shift: int = seed) -> float:
            return noise(values, instance + shift)

        passed += accepts(program(*[1.3] * count), cost, seed)
    assert passed / runs <= 0.035 + 3 * math.sqrt(0.035 * 0.965 / runs)


def accepts(code: str, cost: Cost, seed: int) -> bool:
    """Whether a calibration from end to end takes over other constants."""
    one = parent(code, cost)
    place = replace(PLACE, seed=seed)
    found = asyncio.run(calibrate(Bench(cost), one, place, 32 * 40))
    if found.code is None:
        return False
    costs = [cost(weights(found.code), k) for k in range(64)]
    return judge(found, one, costs).code is not None


def sparse(values: list[float], instance: int) -> float:
    """Costs that the second weight only adds to, and the third lowers where it is below 0."""
    base = 100 + random.Random(instance).gauss(0, 20)
    return base + 5 * (values[0] - 2) ** 2 + 3 * abs(values[1]) + 2 * (values[2] + 1) ** 2


def test_a_constant_is_left_out_where_that_is_better_and_its_effect_is_kept() -> None:
    found = tuned(program(1.9, 4.0, -0.9), sparse, budget=64 * 200)
    assert found.code is not None and found.tuning is not None
    first, second, third = weights(found.code)
    assert second == 0.0
    assert abs(first - 2) < 0.2 and abs(third + 1) < 0.2
    effect = found.tuning.constants[1].zero
    assert effect is not None
    assert effect.factor == 0.0 and effect.mean == pytest.approx(-12.0)
    assert found.tuning.constants[1].after == 0.0


def test_a_sign_is_turned_where_that_is_better() -> None:
    found = tuned(program(1.9, 0.01, 1.1), sparse, budget=64 * 200)
    assert found.code is not None and found.tuning is not None
    assert abs(weights(found.code)[2] + 1) < 0.2
    turned = found.tuning.constants[2].turned
    assert turned is not None
    assert turned.mean == pytest.approx(2 * 0.1**2 - 2 * 2.1**2)
