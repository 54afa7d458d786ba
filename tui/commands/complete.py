"""What the shell offers for a word that is half typed: names that are there, nothing else.

A completion does not fail: where a store or a problem cannot be read, it offers nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from engine.domain.names import DEFAULT_DB
from problems.errors import PreceptorError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from problems.base import Problem


def complete_runs(context: typer.Context, incomplete: str) -> list[str]:
    """The numbers and names of the runs in the store, and its studies."""

    def listed() -> Iterable[str]:
        from engine.monitor import Reader

        with Reader(context.params.get("db") or DEFAULT_DB) as reader:
            studies = (f"study:{row.number}" for row in reader.studies())
            rows = reader.runs()
            names = (row.label.name for row in rows if row.label.name)
            return ["latest", *(str(row.number) for row in rows), *names, *studies]

    return _offer(listed, incomplete)


def complete_programs(context: typer.Context, incomplete: str) -> list[str]:
    """The programs of the run that is typed."""

    def listed() -> Iterable[str]:
        from engine.monitor import Reader
        from engine.monitor.lookup import pick_run

        db = context.params.get("db") or DEFAULT_DB
        number = pick_run(db, context.params.get("run") or "latest")
        with Reader(db) as reader:
            return [candidate.id for candidate in reader.candidates(number)]

    return _offer(listed, incomplete)


def complete_problems(incomplete: str) -> list[str]:
    """The names of the problems."""
    import problems

    return _offer(problems.names, incomplete)


def complete_methods(incomplete: str) -> list[str]:
    """The names of the methods."""
    from engine.api.resolve import method_names

    return _offer(method_names, incomplete)


def complete_options(incomplete: str) -> list[str]:
    """The names of the settings, each ready for its value; behind it the words that it takes."""
    from engine.domain.specs.settings import CHOICES, option_names

    key, equals, _ = incomplete.partition("=")
    if equals:
        return _offer(lambda: [f"{key}={word}" for word in CHOICES.get(key, ())], incomplete)
    return _offer(lambda: [f"{name}=" for name in option_names()], incomplete)


def complete_settings(incomplete: str) -> list[str]:
    """The names of the settings."""
    from engine.domain.specs.settings import option_names

    return _offer(option_names, incomplete)


def complete_presets(incomplete: str) -> list[str]:
    """The names of the presets."""
    from engine.domain.specs.settings import PRESETS

    return _offer(lambda: PRESETS, incomplete)


def complete_sets(context: typer.Context, incomplete: str) -> list[str]:
    """The instance sets of the problem that is typed."""
    return _offer(lambda: [one.name for one in _problem(context).sets()], incomplete)


def complete_solvers(context: typer.Context, incomplete: str) -> list[str]:
    """The classical rules of the problem that is typed."""
    return _offer(lambda: [rule.name for rule in _problem(context).rules()], incomplete)


def complete_teachers(incomplete: str) -> list[str]:
    """The names of the teachers, `rollout` and `auto`."""

    def listed() -> Iterable[str]:
        import teachers
        from engine.domain.names import AUTO, ROLLOUT

        return (*teachers.names(), ROLLOUT, AUTO)

    return _offer(listed, incomplete)


def complete_writers(incomplete: str) -> list[str]:
    """The built-in writer, those of preceptor.toml, and the beginnings of other words."""

    def listed() -> Iterable[str]:
        from engine.api.resolve import writer_names

        return (*writer_names(), "openai:", "replay:")

    return _offer(listed, incomplete)


def _problem(context: typer.Context) -> Problem:
    import problems

    unread = next(iter(context.args), "")  # where the option before the cursor has no value yet
    return problems.load(context.params.get("problem") or unread)


def _offer(listed: Callable[[], Iterable[str]], incomplete: str) -> list[str]:
    """The words that begin with what is typed; none where they cannot be found out."""
    try:
        return [word for word in listed() if word.startswith(incomplete)]
    except PreceptorError:
        return []
