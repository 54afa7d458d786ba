"""How long the prompts of recorded runs are, as they were sent and as they would be sent now.

    python -m benchmarks.prompt_tokens FILE.run... [--method NAME] [--write FOLDER]

The states of the search are those of the recording, whatever the method that is to ask now; facts
are found anew from its action lists, and no program is run. Tokens are counted by the usual
splitting of text before merging, since no model's own tokenizer is at hand; `begin` are those that
all prompts of a run have in common.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import tempfile
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any, cast

import problems
from engine.diagnosis.facts import observe
from engine.diagnosis.partings import find_parting
from engine.diagnosis.sampling import plan_sampling, sample
from engine.domain.records import Exchange, RunRow
from engine.domain.search_state import SearchState
from engine.domain.values import Candidate, Facts, Landmarks, Parting, Request
from engine.search.environment import Environment
from engine.search.methods.method_file import recorded_method
from engine.search.methods.methods import METHODS, find
from engine.search.offspring import program_request
from engine.search.reflection import analyzer_request
from engine.store.reader import Reader
from engine.store.transfer import import_run

SPLIT = re.compile(r" ?[A-Za-z]{1,8}| ?\d{1,3}| ?[^\sA-Za-z\d]{1,3}|\s+")


def count_tokens(text: str) -> int:
    """About as many as a model's tokenizer makes of it."""
    return len(SPLIT.findall(text))


class Recorded:
    """What a search asked of a run, answered from its recording: the parts that prompts need."""

    def __init__(self, reader: Reader, row: RunRow, method: str = "") -> None:
        """Finds the facts of all candidates; `method` is the run's own unless it is named."""
        self.reader = reader
        self.row = row
        self.seed = row.spec.seed
        self.settings = row.spec.settings
        self.method = find(method) if method else recorded_method(row.spec)
        self.problem = problems.load(row.spec.problem)
        self.contract = self.problem.contract
        self.instances = self.problem.load(self.settings.design or self.problem.design)
        known = [instance.reference for instance in self.instances]
        self.reference = None
        if None not in known:
            self.reference = self.problem.objective(fmean(cast("list[float]", known)))
        self.landmarks = Landmarks()
        self.larger = ""
        self.candidates = tuple(map(self._look, reader.candidates(row.number)))

    async def part(self, one: Candidate, other: Candidate) -> Parting | None:
        """As in a run; None where a recording has left the actions out."""
        both = [self.reader.evaluation_of(self.row.number, c.id) for c in (one, other)]
        if both[0] is None or both[1] is None or not all((*both[0].actions, *both[1].actions)):
            return None
        return find_parting(self.problem, self.instances, both[0], both[1], one.facts)

    async def comment(self, candidate: Candidate) -> str:
        """Nothing is asked of the problem's own code."""
        return ""

    async def scale(self, candidate: Candidate) -> None:
        """No program is run."""

    def state_before(self, generation: int) -> SearchState:
        """What the search stood at when a generation began."""
        seen = tuple(c for c in self.candidates if c.generation < generation)
        survivors = self.reader.population(self.row.number, generation - 1)
        by_id = {candidate.id: candidate for candidate in seen}
        return SearchState(generation - 1, tuple(by_id[c.id] for c in survivors), seen)

    def ask_again(self, exchange: Exchange) -> str:
        """What the call of an exchange would ask now."""
        return asyncio.run(self._ask(exchange)).messages[0].content

    async def _ask(self, exchange: Exchange) -> Request:
        state = self.state_before(exchange.call.key.generation)
        by_id = {candidate.id: candidate for candidate in state.seen}
        recipes = tuple(
            replace(recipe, parents=tuple(by_id[parent.id] for parent in recipe.parents))
            for recipe in exchange.request.recipes
        )
        environment = cast("Environment", self)
        if exchange.request.role == "analyzer":
            return await analyzer_request(environment, state, recipes)
        return await program_request(environment, state, recipes[0])

    def _look(self, candidate: Candidate) -> Candidate:
        evaluation = self.reader.evaluation_of(self.row.number, candidate.id)
        if evaluation is None or candidate.failure is not None:
            return candidate
        decisions = sum(map(len, evaluation.actions))
        found = replace(candidate, cpu=evaluation.cpu, decisions=decisions)
        return replace(found, facts=self._facts(evaluation.actions))

    def _facts(self, actions: Any) -> Facts | None:
        instances = self.instances
        plan = plan_sampling(len(instances), self.settings.states or self.problem.states)
        sampled = sample(self.problem, instances, actions, plan)
        found = observe(self.problem, sampled, self.settings.cases // 2)
        return None if found is None else found.facts


def measure(file: Path, folder: Path | None, method: str) -> None:
    """Print a line for each kind of prompt of a recorded run."""
    with tempfile.TemporaryDirectory() as scratch:
        db = Path(scratch) / "runs.db"
        number = import_run(db, file)
        with Reader(db) as reader:
            recorded = Recorded(reader, reader.run(number), method)
            pages: dict[str, list[tuple[str, str]]] = {}
            for exchange in reader.exchanges(number):
                if exchange.request.role not in ("program", "analyzer"):
                    continue
                pair = (exchange.request.messages[0].content, recorded.ask_again(exchange))
                pages.setdefault(exchange.request.operator, []).append(pair)
                if folder is not None:
                    key = exchange.call.key
                    name = f"{file.stem}-{key.generation}-{key.slot}-{exchange.request.operator}"
                    (folder / f"{name}.txt").write_text(pair[1])
    begins = [_common([page[k] for found in pages.values() for page in found]) for k in (0, 1)]
    print(f"{file.stem}: begin {count_tokens(begins[0])} before, {count_tokens(begins[1])} now")
    for operator, found in pages.items():
        before, now = ([count_tokens(page[k]) for page in found] for k in (0, 1))
        print(
            f"  {operator:9} {len(found):3} prompts  before {fmean(before):6.0f} (most "
            f"{max(before)})  now {fmean(now):6.0f} (most {max(now)})"
        )


def _common(texts: list[str]) -> str:
    ends = enumerate(zip(min(texts), max(texts), strict=False))
    return texts[0][: next((k for k, (a, b) in ends if a != b), 0)]


def main() -> None:
    """Every file named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--method", choices=METHODS, default="", help="the method that asks now")
    parser.add_argument("--write", type=Path, help="a folder for the prompts as they are now")
    arguments = parser.parse_args()
    if arguments.write is not None:
        arguments.write.mkdir(parents=True, exist_ok=True)
    for file in arguments.files:
        measure(file, arguments.write, arguments.method)


if __name__ == "__main__":
    main()
