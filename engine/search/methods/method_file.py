"""A method of the user's own from a TOML file (described in `docs/methods/README.md`).

A run records the whole definition, prompts included, and is resumed with nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar, get_args

from engine.domain.specs.method_definition import Definition, OperatorText, StepText
from engine.domain.specs.settings import PromptTeacher, RunSpec
from engine.domain.text.toml_table import parse_toml, read_table
from engine.search.methods import methods
from engine.search.methods.methods import METHODS
from engine.search.methods.operators import OPERATORS
from engine.search.methods.types import (
    Consult,
    DefaultTeacher,
    Method,
    Operator,
    Reflection,
    Step,
    Wording,
)
from engine.search.parents.islands import island
from engine.search.parents.tree import tree_ancestor, tree_branch, tree_due, tree_leaf
from engine.search.prompts.custom import recorded_prompts
from engine.search.selection import (
    alignment_ranked,
    all_retain,
    any_ranked,
    better_of_pair,
    complementary,
    complementary_set_retain,
    cost_retain,
    dissimilar_retain,
    distinct_cost_retain,
    distinct_pareto_retain,
    distinct_retain,
    elite,
    favoured,
    generational_retain,
    highest_alignment,
    lowest_cost,
    objective_ranked,
    other_ranked,
    pareto_retain,
    worse_of_pair,
)
from problems.errors import RunMismatch, UnknownName, UserError

T = TypeVar("T")

SUFFIX = ".toml"

PARENTS = {
    "objective-ranked": objective_ranked,
    "alignment-ranked": alignment_ranked,
    "any-ranked": any_ranked,
    "better-of-pair": better_of_pair,
    "worse-of-pair": worse_of_pair,
    "elite": elite,
    "favoured": favoured,
    "complementary": complementary,
    "other-ranked": other_ranked,
    "island": island,
    "tree-leaf": tree_leaf,
    "tree-due": tree_due,
    "tree-ancestor": tree_ancestor,
    "tree-branch": tree_branch,
}
REFLECTIONS: dict[str, Reflection] = {name: name for name in get_args(Reflection)}
RETAINS = {
    "pareto": pareto_retain,
    "cost": cost_retain,
    "distinct-cost": distinct_cost_retain,
    "generational": generational_retain,
    "distinct": distinct_retain,
    "distinct-pareto": distinct_pareto_retain,
    "all": all_retain,
    "dominance-dissimilarity": dissimilar_retain,
    "complementary-set": complementary_set_retain,
}
CONSULTED: dict[str, Consult] = {name: name for name in get_args(Consult)}
DEFAULTS: dict[str, DefaultTeacher] = {name: name for name in get_args(DefaultTeacher)}
WORDINGS: dict[str, Wording] = {name: name for name in get_args(Wording)}
TOLD: dict[str, PromptTeacher] = {name: name for name in get_args(PromptTeacher)}
WINNERS = {"lowest-cost": lowest_cost, "highest-alignment": highest_alignment}

TEACHER = {
    "alignment-ranked",
    "pareto",
    "distinct-pareto",
    "highest-alignment",
    "survivors",
}
"""Words that mean nothing without a teacher."""

_NAMES = {"method": re.compile(r"[a-z][a-z0-9-]*"), "operator": re.compile(r"[a-z][a-z0-9_]*")}


def load_method(spec: RunSpec) -> RunSpec:
    """The specification with the definition of its method, where that is named by a file.

    Raises UserError and UnknownName for a file that defines none.
    """
    if not spec.method.endswith(SUFFIX):
        return spec
    definition = read_definition(Path(spec.method))
    return replace(spec, method=definition.name, definition=definition)


def reload_method(spec: RunSpec) -> RunSpec:
    """The specification with the definition as its file has it now, if there is one."""
    recorded = spec.definition
    if recorded is None or not Path(recorded.file).is_file():
        return spec
    return load_method(replace(spec, method=recorded.file))


def method_of(spec: RunSpec) -> Method:
    """The method that a run was booked with, and with its prompts.

    Raises UnknownName, and RunMismatch where the folder of its prompts now says something else.
    """
    found = recorded_method(spec)
    return replace(found, prompts=recorded_prompts(spec)) if spec.prompts else found


def recorded_method(spec: RunSpec) -> Method:
    """The method that a run was booked with, but for its prompts. Raises UnknownName."""
    return build(spec.definition) if spec.definition else methods.find(spec.method)


def refuse_changed(spec: RunSpec) -> None:
    """Raise RunMismatch where the file of a run's method has changed since it was booked."""
    recorded = spec.definition
    if recorded is not None and _says_now(recorded) != recorded:
        raise RunMismatch(
            f"{recorded.file} no longer says what the run was booked with; restore it, or go on "
            "with it as it is now: preceptor resume RUN --fork"
        )


def _says_now(recorded: Definition) -> Definition | None:
    """The definition as its file has it; the recorded one where there is no file any more."""
    file = Path(recorded.file)
    try:
        return read_definition(file) if file.is_file() else recorded
    except UserError:
        return None


def read_definition(file: Path) -> Definition:
    """What a file defines, with the prompts beside it, found good by building it.

    Raises UnknownName for a word that means nothing, UserError for whatever else does not fit.
    """
    page = parse_toml(file)
    try:
        found = read_table(str(file), page, Definition, file=str(file.absolute()))
        operators = tuple(_with_prompt(operator, file.parent) for operator in found.operators)
        definition = replace(found, operators=operators)
        _refuse_taken(definition)
        _refuse_teacherless(definition)
        build(definition)
    except UnknownName as error:
        raise _located(error, file) from error
    return definition


def _located(error: UnknownName, file: Path) -> UnknownName:
    """The same error with the line of the file that says the unknown word."""
    lines = file.read_text("utf-8").splitlines()
    word = re.compile(rf"(?<![\w-]){re.escape(error.name)}(?![\w-])")
    found = (number for number, line in enumerate(lines, 1) if word.search(line.split("#")[0]))
    line = next(found, None)
    return UnknownName(
        error.kind, error.name, error.valid, f"{file}:{line}" if line else str(file)
    )


def _with_prompt(operator: OperatorText, folder: Path) -> OperatorText:
    """The operator of a file, with the text of its prompt instead of the prompt's name.

    One of ours keeps its prompt: what a file says of it is how it draws its parents.
    """
    ours = OPERATORS.get(operator.name)
    if ours is not None and not operator.prompt:
        return replace(operator, title=operator.title or ours.title)
    file = folder / (operator.prompt or f"{operator.name}.md")
    try:
        prompt = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"operator {operator.name}: {file} cannot be read: {error}") from error
    if "$reply" not in prompt:
        raise UserError(f"{file}: no $reply, so a writer would not know how to answer")
    return replace(operator, title=operator.title or operator.name, prompt=prompt)


def build(definition: Definition) -> Method:
    """The method that a definition stands for. Raises UnknownName and UserError."""
    own = {operator.name: _build_operator(operator) for operator in definition.operators}
    method = Method(
        definition.name,
        definition.about,
        tuple({**OPERATORS, **own}.values()),
        tuple(_build_step(step) for step in definition.steps),
        _named("retain", definition.retain, RETAINS),
        _named("winner", definition.winner, WINNERS),
        definition.teacher,
        otherwise=_named("retain", definition.otherwise, RETAINS)
        if definition.otherwise
        else None,
        default_teacher=_named("default_teacher", definition.default_teacher, DEFAULTS),
        consult=_named("consult", definition.consult, CONSULTED),
        advice=definition.advice,
        tune_child=definition.tune_child,
        prompt_teacher=_named("prompt_teacher", definition.prompt_teacher, TOLD),
        wording=_named("wording", definition.wording, WORDINGS),
    )
    if not method.steps:
        raise UserError(f"{definition.file}: a method has at least one step, written [[steps]]")
    for step in method.steps:
        _refuse_unpaired(step, method)
        _refuse_uneven(step, method)
    return method


def _refuse_unpaired(step: Step, method: Method) -> None:
    """A short-term reflection compares two parents."""
    for operator in (method.operator(name) for name in step.operators):
        if step.reflect == "short-term" and len(operator.parents) != 2:
            raise UserError(f"operator {operator.name} has no pair that short-term could compare")


def _refuse_uneven(step: Step, method: Method) -> None:
    """Every generation of a rolling step makes as many calls as any other."""
    uneven = method.callless | (method.unbriefed if step.reflect != "none" else frozenset())
    for name in step.operators:
        if step.rolling and name in uneven:
            raise UserError(f"operator {name} makes fewer calls than others: no rolling step")


def _build_operator(text: OperatorText) -> Operator:
    parents = tuple(_named("way to draw a parent", word, PARENTS) for word in text.parents)
    unequal = better_of_pair in parents
    return Operator(text.name, text.title, parents, unequal, text.prompt, briefed=text.briefed)


def _build_step(text: StepText) -> Step:
    how = _named("reflection", text.reflect, REFLECTIONS)
    return Step(text.operators, how, text.children, text.rolling)


def _named(kind: str, word: str, known: Mapping[str, T]) -> T:
    if word not in known:
        raise UnknownName(kind, word, known)
    return known[word]


def _refuse_taken(definition: Definition) -> None:
    """Names are new, and such that a file of tables and a prompt's headings can hold them.

    Only operators with prompts of their own need new names.
    """
    own = [operator.name for operator in definition.operators]
    ours = {operator.name for operator in definition.operators if not operator.prompt}
    names = [("method", definition.name, [*METHODS])]
    names += [("operator", name, [*({*OPERATORS} - ours), *own[:k]]) for k, name in enumerate(own)]
    for kind, name, taken in names:
        if not _NAMES[kind].fullmatch(name):
            raise UserError(
                f"{definition.file}: {name!r} is no {kind}'s name: a-z and 0-9, please"
            )
        if name in taken:
            raise UserError(
                f"{definition.file}: {kind} {name} exists already; choose another name"
            )


def _refuse_teacherless(definition: Definition) -> None:
    """What a method without a teacher cannot ask for."""
    if definition.teacher:
        return
    words = [definition.retain, definition.otherwise, definition.consult, definition.winner]
    words += [word for operator in definition.operators for word in operator.parents]
    needy = [word for word in words if word in TEACHER]
    if definition.advice:
        needy.append("advice")
    if needy:
        raise UserError(f"{definition.file}: {needy[0]} needs a teacher; say teacher = true")
