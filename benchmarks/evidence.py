"""What the runs of a study tell of their arms, beside its own report, for docs/results.md.

    python -m benchmarks.evidence STUDY --db FILE [--control blind] [--pair ARM:ARM ...]
        [--tune 60 --set SET]

Runs: calls, tokens (a quarter of the characters where the writer counts none), failures, repairs.
Best cost by call. Children by generation: their median cost, and how far it is from that of the
control, paired by seed. Briefs: how many name the teacher, and cases of it. Pairs: one arm minus
another on held-out sets. With `--tune`, the constants of every winner are searched for so many CPU
seconds on the design set, and both programs measured on a set; the differences between arms,
paired by seed, are given for the tuned ones. The unit is the run: ± are standard deviations over
seeds, intervals are Student's.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean, median, stdev

import preceptor
from engine.domain.records import Exchange, RunRow
from engine.domain.values import Candidate
from engine.report.curves import trace
from engine.report.statistics import contrast
from engine.store.reader import Reader

BY_CALL = (6, 12, 18, 24, 30)
TEACHER = re.compile(r"\bteacher", re.IGNORECASE)
CASE = re.compile(r"\b(?:case|instance|state)s? \d+", re.IGNORECASE)


def tokens(row: RunRow, exchanges: Iterable[Exchange], answers: bool) -> int:
    """Tokens of all prompts, or of all answers: the writer's count, else a quarter of the text."""
    texts = [
        [call.call.reply.text if call.call.reply else ""]
        if answers
        else [message.content for message in call.request.messages]
        for call in exchanges
    ]
    return sum(map(len, (text for parts in texts for text in parts))) // 4


def arm(row: RunRow) -> str:
    """The name of a run's arm in its study."""
    return row.spec.arm or row.spec.method


def spread(values: Sequence[float]) -> str:
    """Mean ± standard deviation over seeds."""
    if not values:
        return "-"
    deviation = f" ± {stdev(values):.4g}" if len(values) > 1 else ""
    return f"{fmean(values):.6g}{deviation}"


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown."""
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in lines)


class Study:
    """The runs of a study by arm and seed, read once."""

    def __init__(self, reader: Reader, number: int, control: str) -> None:
        self.reader = reader
        self.control = control
        self.rows = [row for _, row in sorted(reader.study_runs(number).items())]
        self.arms = list(dict.fromkeys(map(arm, self.rows)))
        self.made: dict[int, tuple[Candidate, ...]] = {
            row.number: reader.outlines(row.number) for row in self.rows
        }
        self.asked = {row.number: reader.exchanges(row.number) for row in self.rows}

    def of(self, name: str) -> list[RunRow]:
        """The runs of an arm, by seed."""
        runs = [row for row in self.rows if arm(row) == name]
        return sorted(runs, key=lambda row: row.spec.seed)

    def against(self, name: str, figure: Callable[[RunRow], float | None]) -> str:
        """A figure of an arm's runs minus the control's, paired by seed, with its interval."""
        base, own = self._by_seed(self.control, figure), self._by_seed(name, figure)
        found = None if name == self.control else contrast(own, base)
        if found is None or found.low is None or found.high is None:
            return "-"
        return f"{found.mean:+.4g} ({found.low:+.4g} to {found.high:+.4g})"

    def _by_seed(self, name: str, figure: Callable[[RunRow], float | None]) -> dict[int, float]:
        found = {row.spec.seed: figure(row) for row in self.of(name)}
        return {seed: value for seed, value in found.items() if value is not None}

    def children(self, row: RunRow, generation: int | None = None) -> list[Candidate]:
        """The programs that a run's calls made, of all its generations or of one."""
        found = [c for c in self.made[row.number] if c.generation > 0 and c.operator != "tune"]
        return [c for c in found if generation is None or c.generation == generation]

    def best_until(self, row: RunRow, call: int) -> float | None:
        """The lowest cost once so many calls were made."""
        known = [cost for time, cost in trace(self.reader, row.number, "call") if time <= call]
        return known[-1] if known else None

    def median_of(self, row: RunRow, generation: int) -> float | None:
        """The median cost of the children of a generation that ended well."""
        costs = [c.cost for c in self.children(row, generation) if c.cost is not None]
        return median(costs) if costs else None


def page_runs(study: Study) -> str:
    """A line a run."""
    rows = []
    for name in study.arms:
        for row in study.of(name):
            asked = study.asked[row.number]
            made = study.children(row)
            rows.append(
                (
                    name,
                    row.spec.seed,
                    len(asked),
                    len(made),
                    sum(c.cost is None for c in made),
                    sum(one.request.role == "repair" for one in asked),
                    f"{tokens(row, asked, answers=False):,}",
                    f"{tokens(row, asked, answers=True):,}",
                    f"{min(c.cost for c in study.made[row.number] if c.cost is not None):.6g}",
                )
            )
    heads = ("arm", "seed", "calls", "children", "failed", "repairs", "tokens in", "out", "best")
    return table(heads, rows)


def page_curve(study: Study) -> str:
    """The best cost after so many calls, then what it is beside the control at the end."""
    rows = []
    for name in study.arms:
        runs = study.of(name)
        cells = []
        for call in BY_CALL:
            costs = [cost for row in runs if (cost := study.best_until(row, call)) is not None]
            cells.append(spread(costs))
        rows.append(
            (name, *cells, study.against(name, lambda r: study.best_until(r, BY_CALL[-1])))
        )
    return table(("arm", *map(str, BY_CALL), f"minus {study.control}"), rows)


def page_generations(study: Study) -> str:
    """The median cost of children by generation, and beside the control's."""
    last = max(c.generation for made in study.made.values() for c in made)
    rows = []
    for name in study.arms:
        cells: list[str] = []
        for generation in range(1, last + 1):

            def figure(row: RunRow, generation: int = generation) -> float | None:
                return study.median_of(row, generation)

            known = [cost for row in study.of(name) if (cost := figure(row)) is not None]
            cells.append(f"{spread(known)}; {study.against(name, figure)}")
        rows.append((name, *cells))
    return table(("arm", *(f"generation {g}" for g in range(1, last + 1))), rows)


def page_pairs(study: Study, pairs: Sequence[str]) -> str:
    """One arm minus another on every set, paired by seed: mean, interval, per cent, p."""
    rows = []
    reached: dict[tuple[str, str], dict[int, float]] = {}
    for row in study.rows:
        for one_set in study.reader.run_measurements(row.number):
            if one_set.mean is not None:
                reached.setdefault((one_set.set, arm(row)), {})[row.spec.seed] = one_set.mean
    for name in dict.fromkeys(set for set, _ in reached):
        for pair in pairs:
            one, other = pair.split(":")
            found = contrast(reached[name, one], reached[name, other])
            if found is None or found.low is None or found.high is None or found.p is None:
                continue
            share = 100 / abs(found.base)
            rows.append(
                (
                    name,
                    f"{one} minus {other}",
                    f"{found.mean:+.4g}",
                    f"{found.low:+.4g} to {found.high:+.4g}",
                    " ".join(f"{share * x:+.2f}" for x in (found.mean, found.low, found.high)),
                    f"{found.p:.4f}",
                )
            )
    return table(("set", "pair", "difference", "95 % interval", "%, from, to", "p"), rows)


def page_briefs(study: Study) -> str:
    """How many briefs name the teacher, and a case, by generation."""
    last = max(c.generation for made in study.made.values() for c in made)
    rows = []
    for name in study.arms:
        cells = []
        for generation in range(1, last + 1):
            briefs = [
                brief.brief.text
                for row in study.of(name)
                for brief in study.reader.briefs(row.number)
                if brief.generation == generation
            ]
            taught = sum(bool(TEACHER.search(text)) for text in briefs)
            cases = sum(bool(CASE.search(text)) for text in briefs)
            cells.append(f"{taught}, {cases} of {len(briefs)}" if briefs else "-")
        if any(cell != "-" for cell in cells):
            rows.append((name, *cells))
    return table(("arm", *(f"generation {g}" for g in range(1, last + 1))), rows)


def mean_on(problem: str, program: Path | str, set: str, db: Path) -> float:
    """The mean objective of a program over the instances of a set."""
    found = preceptor.evaluate(problem, program, set=set, store=db)
    return fmean(cost for cost in found.costs if cost is not None)


def page_tuned(study: Study, db: Path, seconds: float, set: str) -> str:
    """Winners before and after a search for their numbers, by arm; those that gained nothing."""
    before: dict[int, float] = {}
    after: dict[int, float] = {}
    for row in study.rows:
        problem = row.spec.problem.name
        program = f"run:{row.number}"
        before[row.number] = after[row.number] = mean_on(problem, program, set, db)
        try:
            tuned = preceptor.tune(problem, program, seconds=seconds, store=db)
        except preceptor.PreceptorError as error:
            print(f"  run {row.number}: {error}", flush=True)
            continue
        if tuned.code is not None:
            file = db.with_name(f"tuned-{row.number}.py")
            file.write_text(tuned.code)
            after[row.number] = mean_on(problem, file, set, db)
        print(
            f"  {arm(row)} {row.spec.seed}: {before[row.number]:.6g} {after[row.number]:.6g}",
            flush=True,
        )
    rows = [
        (
            name,
            spread([before[row.number] for row in study.of(name)]),
            spread([after[row.number] for row in study.of(name)]),
            study.against(name, lambda row: before[row.number]),
            study.against(name, lambda row: after[row.number]),
        )
        for name in study.arms
    ]
    beside = f"minus {study.control}"
    return table(("arm", set, "tuned", beside, f"tuned, {beside}"), rows)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("study", type=int)
    parser.add_argument("--db", type=Path, default=Path("runs.db"))
    parser.add_argument("--control", default="blind")
    parser.add_argument("--pair", action="append", default=[])
    parser.add_argument("--tune", type=float, default=0.0)
    parser.add_argument("--set", default="random-20x20")
    given = parser.parse_args()
    with Reader(given.db) as reader:
        study = Study(reader, given.study, given.control)
        print("## Runs\n", page_runs(study), sep="\n")
        print("\n## Best cost by call\n", page_curve(study), sep="\n")
        print("\n## Children by generation\n", page_generations(study), sep="\n")
        print("\n## Briefs that name the teacher, and a case\n", page_briefs(study), sep="\n")
        if given.pair:
            print("\n## Pairs\n", page_pairs(study, given.pair), sep="\n")
        if given.tune:
            print("\n## Tuned winners\n", flush=True)
            print(page_tuned(study, given.db, given.tune, given.set))


if __name__ == "__main__":
    main()
