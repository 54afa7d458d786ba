"""Prompts of the user's own: a folder of files named like ours, each taken instead of ours.

A run records their texts when it is booked. How a reply is written (`reply.md`) and what a program
may do (`rules.md`) are not among them: the parser and the gate hold replies to those files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import get_args

from engine.domain.names import ANALYZER
from engine.domain.specs.settings import RunSpec
from engine.search.methods.types import Method, Wording
from engine.search.prompts import find_file, load_file
from problems.errors import RunMismatch, UnknownName, UserError

Texts = tuple[tuple[str, str], ...]

FIXED = {"reply", "rules"}
ROLES = ("analyzer", "long-term", "repair")
"""Prompts whose places are filled otherwise than those of operators."""

RETIRED = {ANALYZER: {"relation", "shown"}, "": {"aim", "hint", "variant"}}
"""Places that our analyzer's and our operators' prompts had once, and that are still filled."""

GENERAL = {"contract", "signature", "reply", "lessons"}
"""Places that every prompt may name."""


def list_files(method: Method) -> Mapping[str, str]:
    """By the name of each prompt that may be replaced, the file that a method has for it."""
    return {name: f"{find_file(name, method.wording)}.md" for name in names()}


def names() -> tuple[str, ...]:
    """The prompts that may be replaced: one for every operator and role."""
    stems = (file.name.partition(".")[::2] for file in files(__package__).iterdir())
    return tuple(sorted(stem for stem, kind in stems if kind == "md" and stem not in FIXED))


def load_prompts(spec: RunSpec) -> RunSpec:
    """The specification with the texts of its prompts folder, if it names one.

    Texts recorded before serve where there is no folder any more.
    Raises UserError and UnknownName for a folder without prompts, or with one that cannot work.
    """
    if not spec.settings.prompts:
        return spec
    folder = Path(spec.settings.prompts).absolute()
    if spec.prompts and not folder.is_dir():
        return spec
    settings = replace(spec.settings, prompts=str(folder))
    return replace(spec, settings=settings, prompts=_load_folder(folder))


def recorded_prompts(spec: RunSpec) -> Texts:
    """The texts that a run with a prompts folder was booked with.

    Raises RunMismatch where the folder now says something else.
    """
    folder = Path(spec.settings.prompts)
    if folder.is_dir() and _load_if_valid(folder) != spec.prompts:
        raise RunMismatch(
            f"the prompts in {folder} are not those that the run was booked with; restore them, "
            "or go on with them as they are now: preceptor resume RUN --fork"
        )
    return spec.prompts


def _load_if_valid(folder: Path) -> Texts | None:
    try:
        return _load_folder(folder)
    except UserError:
        return None


def _load_folder(folder: Path) -> Texts:
    if not folder.is_dir():
        export = f"preceptor prompts export {folder}"
        raise UserError(f"{folder}: no such folder of prompts; make one with: {export}")
    texts = tuple((file.stem, _read_text(file)) for file in sorted(folder.glob("*.md")))
    if not texts:
        raise UserError(
            f"{folder} contains no prompts; the files are {', '.join(names())}, each .md"
        )
    for name, text in texts:
        if name not in names():
            raise UnknownName(f"prompt in {folder}:", name, names())
        _refuse_misfit(folder / f"{name}.md", name, Template(text))
    return texts


def _refuse_misfit(file: Path, name: str, template: Template) -> None:
    """Refuse a text whose places could not be filled, or that tells no writer how to answer."""
    if not template.is_valid():
        raise UserError(f"{file}: a plain dollar sign is written $$")
    named = set(template.get_identifiers())
    ours = _places(name)
    kin = () if name in ROLES else set(names()) - set(ROLES)
    retired = RETIRED.get(name if name in ROLES else "", set())
    known = GENERAL.union(ours, retired, *map(_places, kin))
    for place in sorted(named - known):
        raise UnknownName(f"place in {file}:", place, known)
    if "reply" in ours - named:
        raise UserError(f"{file}: no $reply, so a writer would not know how to answer")


def _places(name: str) -> set[str]:
    """What our own prompts of that name leave to be filled in."""
    texts = {find_file(name, wording) for wording in get_args(Wording)}
    return {place for file in texts for place in load_file(file).get_identifiers()}


def _read_text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{file} cannot be read: {error}") from error
