"""The embedded default writer: genetic programming over a task's contract; no language model."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from engine.domain.values import Recipe, Reply, Request
from engine.llm.builtin import analyst
from engine.llm.builtin.analyst import find_hints
from engine.llm.builtin.edits import Craft, edit_score, finish
from engine.llm.builtin.measure import Measure, measure, observe
from engine.llm.builtin.programs import Draft, bound_names, idea_of, parse_program, write_program
from engine.llm.builtin.trees import ZERO
from engine.llm.builtin.vocabulary import Grammar, learn
from problems.base import Contract, Problem, Rule
from problems.errors import UserError

REFLECTION = "Keep what the better program reads, and calibrate it anew."
ATTEMPTS = 30
"""Edits tried until the child decides otherwise than its parents."""

NOTHING_TO_EDIT = (
    "writer builtin edits the key of a min, max or sorted, or a value that a loop compares, and "
    "no seed program has one; write a seed so, or name another writer with --llm"
)

MODEL = "builtin: genetic programming, no language model"


class Builtin:
    """Answers every request by random tree edits; equal requests get equal replies."""

    name = "builtin"

    def __init__(
        self, contract: Contract, seeds: Sequence[Rule], problem: Problem | None = None
    ) -> None:
        """Learn the words of a task from its contract and its seed programs, and nothing else.

        Raises UserError where no seed has an expression that could be edited.
        """
        self.contract = contract
        drafts = (parse_program(seed.code or "", contract) for seed in seeds)
        self.seeds = tuple(draft for draft in drafts if draft is not None)
        if not self.seeds:
            raise UserError(NOTHING_TO_EDIT)
        self.vocabulary = learn(contract, self.seeds)
        self.states = observe(problem, self.seeds, self.vocabulary) if problem else ()

    async def complete(self, request: Request) -> Reply:
        """A program, briefs, or one fixed sentence of reflection, by the request's role."""
        return Reply(self._answer(request), model=MODEL)

    def _answer(self, request: Request) -> str:
        if request.role == "analyzer":
            return analyst.write_briefs(request, self.contract, self.vocabulary)
        if request.role in ("program", "repair"):
            recipe = replace(request.recipes[0], draw=request.draw)
            return self._write(recipe, "m3" if request.role == "repair" else recipe.operator)
        return REFLECTION

    def _write(self, recipe: Recipe, operator: str) -> str:
        rng = random.Random(recipe.draw)
        if not recipe.parents:
            return self._reply(self._immigrant(rng))
        found = (parse_program(p.program.code, self.contract) for p in recipe.parents)
        parents = [draft for draft in found if draft is not None]
        parents = parents or [rng.choice(self.seeds)]
        vocabulary = self.vocabulary.within(bound_names(parents[0].skeleton))
        craft = Craft(
            Grammar(vocabulary),
            rng,
            Measure(self.states) if self.states else measure(recipe.parents, self.vocabulary),
            find_hints(recipe.brief.text if recipe.brief else "", self.vocabulary),
        )
        return self._reply(self._child(operator, parents, craft))

    def _immigrant(self, rng: random.Random) -> Draft:
        """A random score of the task's words, in the skeleton of a seed."""
        draft = rng.choice(self.seeds)
        grammar = Grammar(self.vocabulary.within(bound_names(draft.skeleton)))
        craft = Craft(grammar, rng, Measure(self.states))
        return self._child("free", [draft], craft)

    def _child(self, operator: str, parents: Sequence[Draft], craft: Craft) -> Draft:
        """An edited score in the first parent's skeleton.

        It decides otherwise than the parents and the seeds, as far as that can be seen.
        """
        scores = [parent.score for parent in parents]
        known = [ZERO, *scores, *(seed.score for seed in self.seeds)]
        for attempt in range(ATTEMPTS):
            made = edit_score(operator if attempt < ATTEMPTS // 2 else "s", scores, craft)
            score = finish(made, craft.grammar)
            if not any(craft.is_idle(score, other) for other in known):
                break
        else:
            score = finish(scores[0], craft.grammar)
        names = (*self.vocabulary.names, *parents[0].names)
        return replace(parents[0], score=score, names=names)

    def _reply(self, draft: Draft) -> str:
        return f"{{{idea_of(draft)}}}\n\n```python\n{write_program(draft)}```\n"
