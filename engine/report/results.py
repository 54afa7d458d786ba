"""What solvers reached on held-out sets, over their runs: means, spread, contrasts by seed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from engine.domain.records import Kind, Measurement
from engine.report.statistics import Contrast, Spread, adjust, contrast, flip_signs, spread
from engine.search.paired import Paired, compare

Key = tuple[str, str, Kind, str]


@dataclass(frozen=True, slots=True)
class Result:
    """One solver on one set. `name` is a method for programs of runs, else who solved it.

    `means` are those of its runs in the order of their `seeds`; of one without runs (a rule, a
    teacher, a reference) there is one mean and no seed. `spread` is None where an instance is
    missing, `missing` says how many are. `seconds` are for all instances, a mean over runs: CPU of
    one core, for teachers wall clock on `device`. `contrast` is it minus the baseline, paired by
    seed, `adjusted` its p-value after Holm over the family of the problem's comparisons.
    `versus` is the difference instance by instance, means over runs, `p_instances` the sign-flip
    test of that: it speaks of these programs, not of their methods.
    """

    problem: str
    set: str
    kind: Kind
    name: str
    instances: int
    means: tuple[float | None, ...]
    seeds: tuple[int, ...]
    missing: int
    spread: Spread | None
    seconds: float | None
    device: str
    contrast: Contrast | None = None
    adjusted: float | None = None
    versus: Paired | None = None
    p_instances: float | None = None

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


def gather(
    found: Iterable[Measurement], methods: Sequence[str], seeds: Mapping[int, int]
) -> tuple[Result, ...]:
    """One result for every solver on every set, in the order of the measurements.

    `methods` are a study's, in its order; `seeds` are those of its runs, by number.
    """
    groups: dict[Key, list[Measurement]] = {}
    for one in found:
        key = (one.problem, one.set, one.kind, one.method or one.solver)
        groups.setdefault(key, []).append(one)
    alone = {key: _result(key, group, seeds) for key, group in groups.items()}
    baseline = pick_baseline(methods)
    compared = [_contrast(key, alone, groups, baseline) for key in groups]
    return tuple(_adjust_family(compared))


def _contrast(
    key: Key,
    alone: Mapping[Key, Result],
    groups: Mapping[Key, list[Measurement]],
    baseline: str,
) -> Result:
    """A result with what sets it apart from the baseline on its set."""
    base: Key = (key[0], key[1], "program", baseline)
    if base == key or base not in groups:
        return alone[key]
    versus, p = _compare(groups[key], groups[base])
    by_seed = compare_by_seed(alone[key], alone[base])
    return replace(alone[key], contrast=by_seed, versus=versus, p_instances=p)


def _adjust_family(results: Sequence[Result]) -> list[Result]:
    """Holm's p-values; a family are the programs of one problem, over all its sets."""
    tested: dict[str, list[int]] = {}
    for index, one in enumerate(results):
        if one.kind == "program" and one.contrast and one.contrast.p is not None:
            tested.setdefault(one.problem, []).append(index)
    found = list(results)
    for family in tested.values():
        values = [c.p for i in family if (c := results[i].contrast) and c.p is not None]
        for index, value in zip(family, adjust(values), strict=True):
            found[index] = replace(results[index], adjusted=value)
    return found


def compare_by_seed(one: Result, other: Result) -> Contrast | None:
    """One solver minus another, paired by seed; one without runs counts with every seed.

    None where both have none, or an instance is missing everywhere.
    """
    a = _by_seed(one, other.seeds)
    b = _by_seed(other, one.seeds)
    return contrast(a, b) if one.seeds or other.seeds else None


def _by_seed(one: Result, others: Sequence[int]) -> dict[int, float]:
    means = one.means if one.seeds else one.means * len(others)
    pairs = zip(one.seeds or others, means, strict=True)
    return {seed: mean for seed, mean in pairs if mean is not None}


def _result(key: Key, group: list[Measurement], seeds: Mapping[int, int]) -> Result:
    missing = sum(cost is None for one in group for cost in one.costs)
    means = tuple(one.mean for one in group)
    seconds = [one.seconds for one in group if one.seconds is not None]
    return Result(
        *key,
        instances=len(group[0].costs),
        means=means,
        seeds=tuple(seeds[one.run] for one in group if one.run is not None),
        missing=missing,
        spread=None if missing else spread([mean for mean in means if mean is not None]),
        seconds=fmean(seconds) if seconds else None,
        device=group[0].device,
    )


def _compare(
    group: list[Measurement], baseline: list[Measurement]
) -> tuple[Paired | None, float | None]:
    """The paired difference by instance and its p-value; None where an instance is missing."""
    one = _by_instance(group)
    other = _by_instance(baseline)
    found = compare(one, other)
    if found is None:
        return None, None
    gaps = [a - b for a, b in zip(one, other, strict=True) if a is not None and b is not None]
    return found, flip_signs(gaps)


def _by_instance(group: list[Measurement]) -> list[float | None]:
    """The mean over runs of every instance, None where a run lacks it."""
    columns = zip(*(one.costs for one in group), strict=True)
    known = [[cost for cost in column if cost is not None] for column in columns]
    return [fmean(costs) if len(costs) == len(group) else None for costs in known]
