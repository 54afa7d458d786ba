"""The JSON contract as files: one valid schema for every command that prints JSON."""

from __future__ import annotations

import typer.main
from jsonschema import Draft202012Validator

from tests.tui.schemas import FILES
from tui.cli import app


def test_every_schema_is_one() -> None:
    for schema in FILES.values():
        Draft202012Validator.check_schema(schema)


def test_every_command_that_prints_json_has_its_schema() -> None:
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for name, command in commands.items():
        words = {word for option in command.params for word in option.opts}
        assert "--json" not in words or f"{name}.json" in FILES, name
