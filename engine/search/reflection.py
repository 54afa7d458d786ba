"""What is thought over before children are written: nothing, the analyzer's briefs, or ReEvo's
short-term and long-term reflections.

Parents are drawn before reflecting, so every kind of reflection has one signature: recipes in,
the same recipes out, each with a brief or none.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from engine.domain.concurrency import together
from engine.domain.names import ANALYZER, LONG_TERM, SHORT_TERM
from engine.domain.rng import derive_seed
from engine.domain.search_state import SearchState
from engine.domain.text.plain_text import clean_reply
from engine.domain.values import Brief, Message, Recipe, Reply, Request
from engine.search import prompts
from engine.search.brief_parser import parse_briefs
from engine.search.environment import Environment
from engine.search.methods.types import Reflection
from engine.search.prompts import analysis
from engine.search.prompts.context import describe_terms, gather_context, pair_with_best

Recipes = tuple[Recipe, ...]
Reflect = Callable[[Environment, SearchState, Recipes], Awaitable[Recipes]]


async def reflect(
    environment: Environment, state: SearchState, how: Reflection, recipes: Recipes
) -> Recipes:
    """The recipes with the briefs of a reflection upon them."""
    if how == "none" or not recipes:
        return recipes
    return await _REFLECTIONS[how](environment, state, recipes)


async def _ask_analyzer(environment: Environment, state: SearchState, recipes: Recipes) -> Recipes:
    """One call a generation (paper, "Teacher-guided Reflection and Revision")."""
    generation = recipes[0].generation
    if generation % environment.settings.teacher_every:
        return recipes
    request = await analyzer_request(environment, state, recipes)
    reply = await environment.ask(ANALYZER, generation, recipes[0].slot, 0, request)
    text = "" if reply.finish == "content_filter" else reply.text
    dealt = parse_briefs(text, {recipe.slot + 1: recipe.operator for recipe in recipes})
    for recipe in recipes:
        if why := dealt.missing.get(recipe.slot + 1):
            environment.note("no-brief", generation, recipe.slot, why)
    return tuple(
        replace(recipe, brief=Brief(brief, recipe.operator))
        if (brief := dealt.briefs.get(recipe.slot + 1))
        else recipe
        for recipe in recipes
    )


async def _compare_pairs(
    environment: Environment, state: SearchState, recipes: Recipes
) -> Recipes:
    """ReEvo's short-term reflection: a call for every pair of a better and a worse parent."""
    return tuple(await together(_compare(environment, recipe) for recipe in recipes))


async def _compare(environment: Environment, recipe: Recipe) -> Recipe:
    text = environment.method.prompt(SHORT_TERM)
    terms = describe_terms(environment)
    messages = prompts.render(SHORT_TERM, environment.contract, recipe, (), text, terms)
    reply = await _reflect(environment, SHORT_TERM, (recipe,), messages)
    return _briefed(environment, recipe, reply)


async def _remember(environment: Environment, state: SearchState, recipes: Recipes) -> Recipes:
    """ReEvo's long-term reflection: a call that joins the generation's hints to what is known."""
    generation = recipes[0].generation
    operators = {recipe.operator for recipe in recipes}
    fresh = [row.brief.text for row in state.briefs if row.generation == generation]
    past = [row for row in state.briefs if row.generation < generation]
    known = [row.brief.text for row in past if row.brief.operator in operators]
    messages = prompts.render(
        LONG_TERM,
        environment.contract,
        text=environment.method.prompt(LONG_TERM),
        background=describe_terms(environment),
        known=known[-1] if known else "Nothing yet.",
        hints="\n".join(f"- {hint}" for hint in fresh) or "- none",
    )
    reply = await _reflect(environment, LONG_TERM, recipes, messages)
    return tuple(_briefed(environment, recipe, reply) for recipe in recipes)


async def _reflect(
    environment: Environment, role: str, recipes: Recipes, messages: tuple[Message, ...]
) -> Reply:
    """A reflection's reply, at the place of the first slot it is for."""
    first = recipes[0]
    draw = derive_seed(environment.seed, role, first.generation, first.slot)
    request = Request(role, role, messages, recipes, (), draw)
    return await environment.ask(role, first.generation, first.slot, 0, request)


def _briefed(environment: Environment, recipe: Recipe, reply: Reply) -> Recipe:
    """The recipe with a whole reply as its brief; without one where nothing was answered."""
    text = "" if reply.finish == "content_filter" else clean_reply(reply.text).strip()
    if not text:
        environment.note("no-brief", recipe.generation, recipe.slot, "the reflection is empty")
        return recipe
    return replace(recipe, brief=Brief(text, recipe.operator))


_REFLECTIONS: Mapping[Reflection, Reflect] = {
    "analyzer": _ask_analyzer,
    "short-term": _compare_pairs,
    "long-term": _remember,
}
"""How each reflection asks; how many calls that makes, `budget_plan` says."""


async def analyzer_request(
    environment: Environment, state: SearchState, recipes: Recipes
) -> Request:
    """The population, what was tried, telling states of the drawn parents, and the slots."""
    draw = derive_seed(environment.seed, ANALYZER, recipes[0].generation)
    operators = dict.fromkeys(recipe.operator for recipe in recipes)
    titles = {name: environment.method.operator(name).title for name in operators}
    revised = list({p.id: p for recipe in recipes for p in recipe.parents}.values())
    background = await gather_context(environment, state, pair_with_best(revised, state))
    places = analysis.fill(recipes, titles, environment.contract, background)
    text = environment.method.prompt(ANALYZER)
    messages = prompts.render(
        ANALYZER, environment.contract, None, state.failure_examples(), text, background, **places
    )
    return Request(ANALYZER, ANALYZER, messages, recipes, state.population, draw)
