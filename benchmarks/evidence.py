"""What recorded runs of several arms show beside one another: the tables of docs/results.

    python -m benchmarks.evidence studies/recorded/rules/jssp-*.run [--set random-20x20 ...] \\
        [--control blind] [--pair ARM:ARM ...] [--tune 60] [--plots FOLDER]

Held out: the mean objective of every run's winner on each set, by arm, and beside the control,
paired by seed, with p (paired t) and p after Holm over all arms and sets. Pairs: one arm minus
another. Tuned: the constants of every winner are searched for so many CPU seconds on the design
set, and both programs measured on the first set. Best cost by call. Children by generation: their
median cost, and beside the control's. Briefs: how many name the teacher, and cases. Runs: calls,
tokens (a quarter of the characters), failures, repairs. The unit is the run: ± are standard
deviations over seeds, intervals are Student's at 95 %.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean, median, stdev

import preceptor
from engine.domain.records import RunRow
from engine.domain.values import Candidate
from engine.report.curves import Series, read_series, trace
from engine.report.plots import draw_all
from engine.report.statistics import Contrast, adjust, contrast
from engine.store.reader import Reader
from engine.store.transfer import import_run

BY_CALL = (6, 12, 18, 24, 30)
TEACHER = re.compile(r"\bteacher", re.IGNORECASE)
CASE = re.compile(r"\b(?:case|instance|state)s? \d+", re.IGNORECASE)


def count_tokens(texts: Iterable[str]) -> str:
    """Tokens of some texts, a quarter of their characters."""
    return f"{sum(map(len, texts)) // 4:,}"


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
    """The recorded runs by arm and seed, read once; `sets` maps a set to means by run."""

    def __init__(self, db: Path, reader: Reader, control: str, sets: Sequence[str]) -> None:
        self.db = db
        self.reader = reader
        self.control = control
        self.rows = sorted(reader.runs(), key=lambda row: row.number)
        self.arms = list(dict.fromkeys(map(arm, self.rows)))
        self.made: dict[int, tuple[Candidate, ...]] = {
            row.number: reader.outlines(row.number) for row in self.rows
        }
        self.asked = {row.number: reader.exchanges(row.number) for row in self.rows}
        self.sets = {
            name: {row.number: mean_on(row, f"run:{row.number}", name, db) for row in self.rows}
            for name in sets
        }

    def of(self, name: str) -> list[RunRow]:
        """The runs of an arm, by seed."""
        runs = [row for row in self.rows if arm(row) == name]
        return sorted(runs, key=lambda row: row.spec.seed)

    def series(self) -> list[Series]:
        """What plots draw of the arms."""
        return [
            read_series(self.reader, name, {r.number: self.made[r.number] for r in self.of(name)})
            for name in self.arms
        ]

    def reached(self, set: str) -> Callable[[RunRow], float]:
        """What the winner of a run reached on a set."""
        return lambda row: self.sets[set][row.number]

    def mean(self, name: str, set: str) -> str:
        """What an arm reached on a set: mean ± standard deviation over its runs."""
        return spread([self.sets[set][row.number] for row in self.of(name)])

    def against(self, name: str, figure: Callable[[RunRow], float | None]) -> str:
        """A figure of an arm's runs minus the control's, paired by seed, with its interval."""
        found = None if name == self.control else self.contrast(name, self.control, figure)
        return "-" if found is None else describe(found)[0]

    def contrast(
        self, one: str, other: str, figure: Callable[[RunRow], float | None]
    ) -> Contrast | None:
        """One arm minus another in a figure of their runs; None without a common seed."""
        return contrast(self._by_seed(one, figure), self._by_seed(other, figure))

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
                    count_tokens(m.content for one in asked for m in one.request.messages),
                    count_tokens(one.call.reply.text for one in asked if one.call.reply),
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


def page_held_out(study: Study) -> str:
    """Mean and deviation of every arm on every set, and the difference to the control."""
    places = [(name, one) for name in study.sets for one in study.arms]
    found = {(n, one): study.contrast(one, study.control, study.reached(n)) for n, one in places}
    others = [at for at in places if at[1] != study.control]
    family = [(contrasted and contrasted.p) or 1.0 for contrasted in map(found.get, others)]
    holm = {at: f"{p:.4f}" for at, p in zip(others, adjust(family), strict=True)}
    rows = []
    for name, one in places:
        told = describe(found[name, one]) if (name, one) in holm else ["-"] * 3
        rows.append((name, one, study.mean(one, name), *told, holm.get((name, one), "-")))
    return table(("set", "arm", "mean", f"minus {study.control}", "%", "p", "Holm"), rows)


def page_pairs(study: Study, pairs: Sequence[str]) -> str:
    """One arm minus another on every set, paired by seed."""
    rows = []
    for name in study.sets:
        for pair in pairs:
            one, other = pair.split(":")
            told = describe(study.contrast(one, other, study.reached(name)))
            rows.append((name, f"{one} minus {other}", *told))
    return table(("set", "pair", "difference", "%", "p"), rows)


def describe(found: Contrast | None) -> list[str]:
    """A difference with its interval, the same in per cent, and p; dashes without an interval."""
    if found is None or found.low is None or found.high is None or found.p is None:
        return ["-"] * 3
    ends = (found.mean, found.low, found.high)
    mean, low, high = (f"{100 * x / abs(found.base):+.2f}" for x in ends)
    difference = f"{found.mean:+.4g} ({found.low:+.4g} to {found.high:+.4g})"
    return [difference, f"{mean} ({low} to {high})", f"{found.p:.4f}"]


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


def mean_on(row: RunRow, program: Path | str, set: str, db: Path) -> float:
    """The mean objective of a program over the instances of a set."""
    found = preceptor.evaluate(row.spec.problem.name, program, set=set, store=db)
    return fmean(cost for cost in found.costs if cost is not None)


def page_tuned(study: Study, seconds: float, set: str) -> str:
    """Winners after a search for their numbers, by arm; how many became better."""
    after = dict(study.sets[set])
    for row in study.rows:
        file = study.db.with_name(f"tuned-{row.number}.py")
        problem, program = row.spec.problem.name, f"run:{row.number}"
        tuned = preceptor.tune(problem, program, seconds=seconds, store=study.db)
        if tuned.code is not None:
            file.write_text(tuned.code)
            after[row.number] = mean_on(row, file, set, study.db)
    rows = []
    for name in study.arms:
        numbers = [row.number for row in study.of(name)]
        told = ["-"] * 3
        if name != study.control:
            told = describe(study.contrast(name, study.control, lambda row: after[row.number]))
        gained = sum(after[n] < study.sets[set][n] for n in numbers)
        rows.append(
            (name, spread([after[n] for n in numbers]), f"{gained} of {len(numbers)}", *told)
        )
    return table(("arm", f"{set}, tuned", "better", f"minus {study.control}", "%", "p"), rows)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--control", default="blind")
    parser.add_argument("--pair", action="append", default=[])
    parser.add_argument("--tune", type=float, default=0.0)
    parser.add_argument("--plots", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "runs.db"
        for file in given.files:
            import_run(db, file)
        with Reader(db) as reader:
            study = Study(db, reader, given.control, given.set)
            if given.set:
                print("## Held out\n", page_held_out(study), sep="\n")
            if given.pair:
                print("\n## Pairs\n", page_pairs(study, given.pair), sep="\n")
            if given.tune:
                print(
                    "\n## Tuned winners\n", page_tuned(study, given.tune, given.set[0]), sep="\n"
                )
            print("\n## Best cost by call\n", page_curve(study), sep="\n")
            print("\n## Children by generation\n", page_generations(study), sep="\n")
            print("\n## Briefs that name the teacher, and a case\n", page_briefs(study), sep="\n")
            print("\n## Runs\n", page_runs(study), sep="\n")
            if given.plots:
                draw_all(study.series(), study.rows[0].spec.problem.name, given.plots)


if __name__ == "__main__":
    main()
