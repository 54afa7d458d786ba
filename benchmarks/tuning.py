"""What `tune` alone is worth: seed programs, programs of short builtin runs, and shipped winners.

Every program is tuned on its design set for a few CPU seconds. Those that are taken over, better
by two standard errors on the half they were not tuned on, are measured on a held-out set before
and after: how many hold there? One JSON line a program on stdout, a summary at the end on stderr.

    nice -n 10 python -m benchmarks.tuning --seconds 20 tsp cvrp
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import preceptor
from engine.domain.program import make_program
from engine.store.transfer import import_run
from problems.errors import PreceptorError

HELD_OUT = {
    "jssp": "random-20x20",
    "tsp": "tsp50",
    "cvrp": "cvrp50",
    "maxcut": "ba200w",
}
"""A set a problem that no search looks at, whose instances are about as large as the design's."""

RECORDINGS = Path("docs/demo")


def programs(
    problem: str, kinds: str, most: int, store: Path, recordings: Path
) -> Iterator[tuple[str, str]]:
    """Names and codes of what is to be tuned."""
    if "s" in kinds:
        for rule in preceptor.load_problem(problem).seeds():
            yield f"seed {rule.name}", rule.code or ""
    if "b" in kinds:
        options = {"generations": 3, "population": most + 6, "children": 6}
        request = preceptor.RunRequest(problem, method="performance-only", options=options)
        run = preceptor.start_run(request, store)
        run.wait()
        made = [c for c in run.population if c.operator != "seed"]
        for candidate in made[:most]:
            yield f"builtin {candidate.id} ({candidate.operator})", candidate.program.code
    if "w" in kinds:
        for file in sorted(recordings.glob(f"{problem}-*.run")):
            best = preceptor.open_store(store).run(import_run(store, file)).best
            if best is not None:
                yield f"winner of {file.name}", best.program.code


def tune(problem: str, name: str, code: str, seconds: float, set: str) -> dict[str, Any]:
    """One program, and what became of it."""
    row: dict[str, Any] = {"problem": problem, "program": name}
    try:
        found = preceptor.tune(problem, code, sets=[set], seconds=seconds)
    except PreceptorError as error:
        return row | {"outcome": str(error)}
    row |= {
        "outcome": "taken" if found.code else found.reason,
        "constants": len(found.tuning.constants),
        "trials": found.tuning.trials,
        "cpu": round(found.cpu, 1),
    }
    for gain in found.gains:
        figures = (gain.before, gain.after, gain.gain, gain.stderr)
        row[gain.set] = [None if x is None else float(f"{x:.6g}") for x in figures]
    return row


def main() -> None:
    """Tune, print, sum up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problems", nargs="+")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--kinds", default="sbw", help="s seeds, b builtin programs, w winners")
    parser.add_argument("--most", type=int, default=6, help="builtin programs a problem")
    parser.add_argument("--recordings", type=Path, default=RECORDINGS, help="runs of winners")
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for problem in given.problems:
            seen = set[str]()
            store = Path(folder) / f"{problem}.db"
            for name, code in programs(problem, given.kinds, given.most, store, given.recordings):
                digest = make_program("", code).hash
                if digest not in seen:
                    seen.add(digest)
                    rows.append(tune(problem, name, code, given.seconds, HELD_OUT[problem]))
                    print(json.dumps(rows[-1]), flush=True)
    taken = [row for row in rows if row["outcome"] == "taken"]
    gains = [row[HELD_OUT[row["problem"]]] for row in taken]
    held = sum(gain > 0 for _, _, gain, _ in gains if gain is not None)
    sure = sum(gain > 2 * stderr for _, _, gain, stderr in gains if gain is not None)
    print(
        f"{len(rows)} programs, {len(taken)} taken over, better on the held-out set: {held}, "
        f"by two standard errors: {sure}",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
