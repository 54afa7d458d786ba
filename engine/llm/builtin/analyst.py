"""The analyzer without a language model, and what a brief says about a task's words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import fmean

from engine.domain.values import Candidate, Case, Request
from engine.llm.builtin.measure import disagreements
from engine.llm.builtin.programs import parse_program
from engine.llm.builtin.trees import terms
from engine.llm.builtin.vocabulary import Vocabulary
from problems.base import Contract

FEWEST = 4
"""Disagreements below which nothing is concluded."""

CLEAR = 0.65
"""Share of the disagreements from which a field is said to separate the choices."""

APART = 0.1
"""Difference of mean places from which the halves of a population are said to choose otherwise."""

MOST = 3
"""Findings in a brief."""

UNRELATED = "No choice goes with low cost in all programs so far."
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


def find_habits(population: Sequence[Candidate]) -> dict[str, float]:
    """By field: how much higher the worse half's choices lie than the better half's, where much.

    Places of choices count from 0, the smallest value in a state, to 1, the largest.
    """
    known = [c for c in population if c.facts is not None and c.cost is not None]
    known.sort(key=lambda c: (c.cost or 0.0, c.id))
    if len(known) < FEWEST:
        return {}
    profiles = [c.facts.profile for c in known if c.facts is not None]
    places = [
        {f.name: f.mean_place for f in profile.fields if f.mean_place is not None}
        for profile in profiles
    ]
    middle = len(places) // 2
    gaps = {}
    for name in places[0]:
        better = [found[name] for found in places[:middle] if name in found]
        worse = [found[name] for found in places[middle:] if name in found]
        if better and worse and abs(gap := fmean(worse) - fmean(better)) >= APART:
            gaps[name] = gap
    return gaps


def _brief(
    operator: str,
    parents: Sequence[Candidate],
    population: Sequence[Candidate],
    contract: Contract,
    vocabulary: Vocabulary,
) -> str:
    read = _words_read(parents, contract, vocabulary)
    if not any(candidate.diagnostics for candidate in (*parents, *population)):
        return _brief_by_cost(operator, population, read)
    cases = disagreements(parents) or disagreements(population)
    findings = find_separators(cases, contract)
    if not findings:
        return NOTHING
    kept = _choose_fields(operator, [finding.name for finding in findings], read)
    findings = [finding for finding in findings if finding.name in kept]
    said = "; ".join(finding.text() for finding in findings[:MOST])
    return f"Of {len(cases)} disagreements: {said}. {_ADVICE.get(operator, _ADVICE['m'])}"


def _brief_by_cost(operator: str, population: Sequence[Candidate], read: set[str]) -> str:
    """What the better half of a population chooses otherwise than the rest, by the same words."""
    trends = find_habits(population)
    names = _choose_fields(operator, trends, read)
    clearest = sorted(names, key=lambda name: (-abs(trends[name]), name))[:MOST]
    if not clearest:
        return UNRELATED
    said = "; ".join(
        f"those that cost less choose {'lower' if trends[name] > 0 else 'higher'} `{name}`"
        for name in clearest
    )
    return f"Of {len(population)} programs: {said}. {_ADVICE.get(operator, _ADVICE['m'])}"


def _choose_fields(operator: str, names: Collection[str], read: set[str]) -> Collection[str]:
    """Of some fields those that an operator works on, as far as there are any."""
    if operator not in ("p", "s"):
        return names
    return [name for name in names if (name in read) == (operator == "p")] or names


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


REACH = 60
"""Characters of a clause before a word in which its direction is looked for."""

_LESS = r"lower|smaller|less|fewer|shorter|earlier|low|small|short|early"
_MORE = r"higher|larger|greater|more|longer|later|high|large|long|late"
_DIRECTION = re.compile(rf"\b(?:(?P<less>{_LESS})|(?P<more>{_MORE}))\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Hint:
    """A word to look at; `direction` is 1 if more of it is wanted, -1 if less, 0 if unsaid."""

    source: str
    direction: int


def find_hints(text: str, vocabulary: Vocabulary) -> tuple[Hint, ...]:
    """The words of a task that a brief names, in order, each with the direction said before it."""
    found: dict[str, Hint] = {}
    for clause in re.split(r"[.;\n]", text.replace("feature.", "").replace("state.", "")):
        for word in vocabulary.words:
            spelled = re.escape(word.name).replace("_", "[_ ]")
            match = re.search(rf"\b{spelled}\b", clause)
            if match is not None and word.source not in found:
                said = list(_DIRECTION.finditer(clause[: match.start()][-REACH:]))
                direction = 0 if not said else -1 if said[-1]["less"] else 1
                found[word.source] = Hint(word.source, direction)
    return tuple(found.values())
