"""The prompt files, one per operator and role, and how a question is rendered into one.

A file holds `$name` places; `render` fills those of every question, `revision.fill` those of the
operators, `analysis.fill` those of the analyzer. What a place has nothing for leaves no trace.
A file that begins with the line `# System` holds a system message up to the line `# User`.
Files begin with what a run says in every prompt, so that providers' caches of beginnings hold it.
The files here say what the papers say. A file of folder `preceptor` stands in for one of them
where a method has that wording; where programs return whole solutions, one of folder `whole`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from string import Template
from typing import Literal

from engine.domain.names import ANALYZER
from engine.domain.values import Failure, Message, Recipe
from engine.search.methods.types import Method, Wording
from engine.search.prompts import revision
from engine.search.prompts.context import PromptContext
from engine.search.prompts.formatting import collapse, section
from problems.base import Contract
from problems.errors import UnknownName, UserError

NOWHERE = PromptContext()

SYSTEM = "# System\n"
USER = "\n# User\n"
"""The lines before a prompt's system message and before the rest."""

FACTUAL = frozenset({"design", "scale", "states"})
"""Places that facts of rollouts fill."""

WHOLE = frozenset({"analyzer", "free", "m", "p", "rules", "s"})
"""Files that speak of decisions, and have another text for whole solutions."""

FULLER = frozenset({"analyzer", "m", "p", "s"})
"""Files that have another text in the wording of `preceptor`."""

ALONE = (
    "The function is called once for every candidate of a decision. It judges one candidate at a "
    "time and knows of the others only what these fields tell."
)


PLAIN = "A step of a plain loop takes 0.05 µs, a call of NumPy about 1."


def render(
    name: str,
    contract: Contract,
    recipe: Recipe | None = None,
    failure_examples: Sequence[Failure] = (),
    text: str = "",
    background: PromptContext = NOWHERE,
    **places: str,
) -> tuple[Message, ...]:
    """The messages of one question; equal inputs give equal text, without clock or chance.

    `text` is used instead of the file called `name`. Raises UnknownName for a place in it that
    there is not, UserError for a `$` that begins none.
    """
    template = Template(text) if text else _choose_template(name, contract, background.wording)
    named = template.get_identifiers()
    values = {
        "contract": _contract(contract, background),
        "signature": contract.signature(),
        "reply": load_file("reply").substitute(signature=contract.signature()).strip(),
        "lessons": section(
            "Failures of earlier programs, to avoid", _list_failures(failure_examples)
        ),
        **({} if recipe is None else revision.fill(recipe, contract, background, named)),
        **places,
    }
    try:
        return tuple(
            Message(role, collapse(Template(part).substitute(values)))
            for role, part in _split_roles(template.template)
        )
    except KeyError as unknown:
        raise UnknownName(f"place in prompt {name}:", str(unknown.args[0]), values) from None
    except ValueError as error:
        raise UserError(f"prompt {name}: {error}; a plain dollar sign is written $$") from None


def _split_roles(text: str) -> list[tuple[Literal["system", "user"], str]]:
    """The parts of a prompt's text by who says them, before any place is filled."""
    system, user_line, user = text.removeprefix(SYSTEM).partition(USER)
    if text.startswith(SYSTEM) and user_line:
        return [("system", system), ("user", user)]
    return [("user", text)]


@cache
def need_facts(method: Method, operators: str) -> bool:
    """Whether any prompt of a method has a place for facts; `operators` is the setting."""
    names = operators.split(",") if operators else [n for s in method.steps for n in s.operators]
    written = [each for each in map(method.operator, names) if each.by == "model"]
    texts = {each.name: each.prompt for each in written}
    if any(step.reflect == ANALYZER for step in method.steps):
        texts[ANALYZER] = method.prompt(ANALYZER)
    for name, text in texts.items():
        template = Template(text) if text else load_file(find_file(name, method.wording))
        if FACTUAL.intersection(template.get_identifiers()):
            return True
    return False


def _choose_template(name: str, contract: Contract, wording: Wording) -> Template:
    """The file of a prompt under a contract."""
    whole = contract.whole and name in WHOLE
    return load_file(f"whole/{name}" if whole else find_file(name, wording))


def find_file(name: str, wording: Wording) -> str:
    """Where the text of a prompt that speaks of decisions is."""
    return f"{wording}/{name}" if wording == "preceptor" and name in FULLER else name


@cache
def load_file(path: str) -> Template:
    """The text of a prompt, by what `find_file` says."""
    return Template(files(__package__).joinpath(f"{path}.md").read_text("utf-8"))


def _contract(contract: Contract, background: PromptContext) -> str:
    """The contract and the rules of all programs; the engine's gate holds a program to them."""
    rules = _choose_template("rules", contract, "paper")
    held = rules.substitute(limit=background.limit, speed=PLAIN).strip()
    alone = [ALONE] if contract.answer == "score" else []
    return "\n\n".join([contract.text(), *alone, f"Rules:\n{held}"])


def _list_failures(failure_examples: Sequence[Failure]) -> str:
    return "\n".join(f"- {failure.kind}: {failure.message}" for failure in failure_examples)
