"""JSON as printed, held against docs/schema."""

from __future__ import annotations

import json
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from tests.conftest import ROOT

FILES = {file.name: json.loads(file.read_text()) for file in (ROOT / "docs/schema").glob("*.json")}
REGISTRY: Registry[Any] = Registry().with_resources(
    (name, Resource.from_contents(schema)) for name, schema in FILES.items()
)


def read_document(text: str, schema: str) -> Any:
    """The one JSON document of an output, valid under the schema of that name."""
    document = json.loads(text)
    Draft202012Validator(FILES[f"{schema}.json"], registry=REGISTRY).validate(document)
    return document


def read_lines(text: str, schema: str) -> list[Any]:
    """The documents of JSON Lines, each valid under the schema of that name."""
    return [read_document(line, schema) for line in text.splitlines()]
