"""The prompt files, one per operator and role, and how a question is rendered into one.

A file holds `$name` places; `render` fills those of every question, `revision.fill` those of the
operators, `analysis.fill` those of the analyzer. What a place has nothing for leaves no trace.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

from engine.domain.values import Message
from engine.search.prompts import revision
from engine.search.prompts.context import PromptContext
from engine.search.prompts.formatting import collapse, section
from problems.errors import UnknownName, UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.values import Failure, Recipe
    from problems.base import Contract

NOWHERE = PromptContext()

ALONE = (
    "The function is called once for every candidate of a decision. It judges one candidate at a "
    "time and knows of the others only what these fields tell."
)


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
    values = {
        "contract": _contract(contract),
        "signature": contract.signature(),
        "reply": _load_template("reply").substitute(signature=contract.signature()).strip(),
        "lessons": section(
            "Failures of earlier programs, to avoid", _list_failures(failure_examples)
        ),
        **({} if recipe is None else revision.fill(recipe, contract, background)),
        **places,
    }
    template = Template(text) if text else _load_template(name)
    try:
        return (Message("user", collapse(template.substitute(values))),)
    except KeyError as unknown:
        raise UnknownName(f"place in prompt {name}:", str(unknown.args[0]), values) from None
    except ValueError as error:
        raise UserError(f"prompt {name}: {error}; a plain dollar sign is written $$") from None


@cache
def _load_template(name: str) -> Template:
    return Template(files(__package__).joinpath(f"{name}.md").read_text("utf-8"))


def _contract(contract: Contract) -> str:
    """The contract and the rules of all programs; the engine's gate holds a program to them."""
    rules = f"Rules:\n{_load_template('rules').substitute().strip()}"
    alone = [ALONE] if contract.answer == "score" else []
    return "\n\n".join([contract.text(), *alone, rules])


def _list_failures(failure_examples: Sequence[Failure]) -> str:
    return "\n".join(f"- {failure.kind}: {failure.message}" for failure in failure_examples)
