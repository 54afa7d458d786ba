"""The analyzer without a language model: counts over the teacher's cases, put into briefs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.llm.builtin.expressions.measure import disagreements
from engine.llm.builtin.expressions.skeleton import parse_program
from engine.llm.builtin.expressions.trees import terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.values import Candidate, Case, Request
    from engine.llm.builtin.expressions.vocabulary import Vocabulary
    from problems.base import Contract

FEWEST = 4
"""Disagreements below which nothing is concluded."""

CLEAR = 0.65
"""Share of the disagreements from which a field is said to separate the choices."""

MOST = 3
"""Findings in a brief."""

NOTHING = "The cases show no field that separates the teacher's choices from the programs'."


@dataclass(frozen=True, slots=True)
class Finding:
    """In `share` of the disagreements the teacher's choice has less, or more, of a field."""

    name: str
    less: bool
    share: float

    def text(self) -> str:
        """One clause; the direction stands right before the field's name."""
        word = "lower" if self.less else "higher"
        return f"in {self.share:.0%} of them the teacher's choice has {word} `{self.name}`"


def write_briefs(request: Request, contract: Contract, vocabulary: Vocabulary) -> str:
    """A section for every operator of the request's recipes."""
    sections = []
    for operator in dict.fromkeys(recipe.operator for recipe in request.recipes):
        parents = [p for r in request.recipes if r.operator == operator for p in r.parents]
        body = _brief(operator, parents, request.population, contract, vocabulary)
        sections.append(f"## {operator}\n{body}\n")
    return "\n".join(sections)


def find_separators(cases: Sequence[Case], contract: Contract) -> list[Finding]:
    """The fields that separate the teacher's choices from the programs', clearest first."""
    if len(cases) < FEWEST:
        return []
    labels = {f.name for argument in contract.arguments for f in argument.fields if f.unit == "id"}
    less: Counter[str] = Counter()
    more: Counter[str] = Counter()
    for case in cases:
        preferred = dict(case.preferred_fields)
        for name, value in case.chosen_fields:
            if name not in labels and name in preferred:
                less[name] += preferred[name] < value
                more[name] += preferred[name] > value
    findings = [
        Finding(name, less[name] >= more[name], max(less[name], more[name]) / len(cases))
        for name in sorted({*less, *more})
    ]
    clear = [finding for finding in findings if finding.share >= CLEAR]
    return sorted(clear, key=lambda finding: (-finding.share, finding.name))


def _brief(
    operator: str,
    parents: Sequence[Candidate],
    population: Sequence[Candidate],
    contract: Contract,
    vocabulary: Vocabulary,
) -> str:
    cases = disagreements(parents) or disagreements(population)
    findings = find_separators(cases, contract)
    if not findings:
        return NOTHING
    read = _words_read(parents, contract, vocabulary)
    if operator == "p":
        findings = [f for f in findings if f.name in read] or findings
    elif operator == "s":
        findings = [f for f in findings if f.name not in read] or findings
    said = "; ".join(finding.text() for finding in findings[:MOST])
    return f"Of {len(cases)} disagreements: {said}. {_ADVICE.get(operator, _ADVICE['m'])}"


_ADVICE = {
    "s": "The programs leave this out or weigh it wrongly.",
    "p": "Shift the weights that speak for it.",
    "m": "Keep the parts of both programs that point there.",
}


def _words_read(
    parents: Sequence[Candidate], contract: Contract, vocabulary: Vocabulary
) -> set[str]:
    drafts = [parse_program(parent.program.code, contract) for parent in parents]
    read = {source for draft in drafts if draft is not None for source in terms(draft.score)}
    return {word.name for word in vocabulary.words if word.source in read}
