"""What solvers reached on held-out sets, over their runs: means, spread, intervals, tests."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from engine.report.statistics import flip_signs, interval, spread
from engine.search.paired import compare

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.domain.records import Kind, Measurement
    from engine.report.statistics import Interval, Spread
    from engine.search.paired import Paired

    Key = tuple[str, str, Kind, str]


@dataclass(frozen=True, slots=True)
class Result:
    """One solver on one set. `name` is a method for programs of runs, else who solved it.

    `means` are those of its runs, one for rules, teachers and references; `spread` and `interval`
    are None where an instance is missing, `missing` says how many are. `seconds` are for all
    instances, a mean over runs: CPU of one core, for teachers wall clock on `device`. `versus` is
    its objectives minus the baseline's, instance by instance, means over runs; `p` tests that.
    """

    problem: str
    set: str
    kind: Kind
    name: str
    instances: int
    means: tuple[float | None, ...]
    missing: int
    spread: Spread | None
    interval: Interval | None
    seconds: float | None
    device: str
    versus: Paired | None = None
    p: float | None = None

    @property
    def mean(self) -> float | None:
        """Mean objective over instances and runs, in the natural sense."""
        return None if self.spread is None else self.spread.mean

    @property
    def is_heuristic(self) -> bool:
        """Whether a plain function reached it: a rule or a program, no teacher, no reference."""
        return self.kind in ("program", "rule")


def pick_baseline(methods: Sequence[str]) -> str:
    """The method that everybody is compared with: ours, or the first of a study without it."""
    return "ours" if "ours" in methods else methods[0]


def gather(found: Iterable[Measurement], methods: Sequence[str]) -> tuple[Result, ...]:
    """One result for every solver on every set, in the order of the measurements.

    `methods` are a study's, in its order.
    """
    groups: dict[Key, list[Measurement]] = {}
    for one in found:
        key = (one.problem, one.set, one.kind, one.method or one.solver)
        groups.setdefault(key, []).append(one)
    baseline = pick_baseline(methods)
    return tuple(
        _result(key, group, groups.get((*key[:2], "program", baseline), []))
        for key, group in groups.items()
    )


def _result(key: Key, group: list[Measurement], baseline: list[Measurement]) -> Result:
    missing = sum(cost is None for one in group for cost in one.costs)
    means = tuple(one.mean for one in group)
    costs = [[cost for cost in one.costs if cost is not None] for one in group]
    seconds = [one.seconds for one in group if one.seconds is not None]
    versus, p = _compare(group, baseline)
    return Result(
        *key,
        instances=len(group[0].costs),
        means=means,
        missing=missing,
        spread=None if missing else spread([mean for mean in means if mean is not None]),
        interval=None if missing else interval(costs),
        seconds=fmean(seconds) if seconds else None,
        device=group[0].device,
        versus=versus,
        p=p,
    )


def _compare(
    group: list[Measurement], baseline: list[Measurement]
) -> tuple[Paired | None, float | None]:
    """The paired difference and its p-value; None for the baseline, and without an instance."""
    one = _by_instance(group)
    other = _by_instance(baseline)
    found = None if group is baseline else compare(one, other)
    if found is None:
        return None, None
    gaps = [a - b for a, b in zip(one, other, strict=True) if a is not None and b is not None]
    return found, flip_signs(gaps)


def _by_instance(group: list[Measurement]) -> list[float | None]:
    """The mean over runs of every instance, None where a run lacks it."""
    columns = zip(*(one.costs for one in group), strict=True)
    known = [[cost for cost in column if cost is not None] for column in columns]
    return [fmean(costs) if len(costs) == len(group) else None for costs in known]
