"""Language models by name: `[writers.NAME]` in preceptor.toml, or `openai:MODEL` as it is.

`openai:MODEL@ADDRESS` names a server, too.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

from engine.domain.names import WRITERS
from engine.domain.specs.endpoint import OPENAI, Endpoint
from engine.domain.specs.settings import FILE, RunSpec, read_file
from engine.domain.text.toml_table import read_table
from engine.llm.openai.secret import trim
from problems.errors import UnknownName, UserError, WriterUnavailable

Table = dict[str, Any]

PREFIX = "openai:"


class Pairs(TypedDict, total=False):
    """The parts of a writer's table that are tables themselves."""

    parameters: dict[str, Any]
    headers: dict[str, Any]


def resolve_endpoints(
    spec: RunSpec, environment: Mapping[str, str] = os.environ, file: Path = FILE
) -> RunSpec:
    """The specification with the endpoints of its writers, as a run is booked.

    Raises UnknownName for a word that names no writer, UserError for a table that does not fit.
    """
    tables = _read(file)
    named = dict.fromkeys((*spec.writers, spec.reflector))
    if len(set(spec.writers)) < len(spec.writers):
        raise UserError(f"--llm {spec.writer}: a writer is named twice")
    found = (_find(name, tables, environment, file) for name in named)
    endpoints = tuple(endpoint for endpoint in found if endpoint)
    if spec.caps.usd is not None:
        _refuse_unpriced(endpoints)
    return replace(spec, endpoints=endpoints)


def names(file: Path = FILE) -> tuple[str, ...]:
    """The language models that a settings file names. Raises UserError for one it cannot mean."""
    return tuple(_read(file))


def addresses(file: Path = FILE) -> tuple[str, ...]:
    """Where the language models are that a settings file names. Raises UserError as `names`."""
    return tuple(str(table.get("base_url", "")) for table in _read(file).values())


def collect_keys(
    endpoints: Iterable[Endpoint], environment: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Variable and key for everything that the endpoints need: what `launch` hands over.

    Raises WriterUnavailable that names a variable that is missing or holds no key.
    """
    keys = {}
    for endpoint in endpoints:
        for variable in endpoint.variables:
            keys[variable] = trim(environment.get(variable, ""))
            if not keys[variable]:
                raise WriterUnavailable(
                    f"writer {endpoint.name} needs a key and {variable} is not set; export it, "
                    f"or name another variable with api_key_env in {FILE}"
                )
            if wrong := next((one for one in keys[variable] if not " " <= one <= "~"), ""):
                raise WriterUnavailable(
                    f"writer {endpoint.name}: {variable} holds {wrong!a}, which no key does; "
                    "copy the key again"
                )
    return keys


def _find(
    name: str, tables: Mapping[str, Table], environment: Mapping[str, str], file: Path
) -> Endpoint | None:
    """The endpoint of that name; None when another kind of writer is meant."""
    if name in tables:
        return _build(name, tables[name], environment, file)
    if name.startswith(PREFIX) and name != PREFIX:
        model, _, address = name.removeprefix(PREFIX).partition("@http")
        table = {"model": model} | ({"base_url": f"http{address}"} if address else {})
        return _build(name, table, environment, file)
    if name == "builtin" or ":" in name:
        return None
    raise UnknownName("writer", name, (*WRITERS, *tables))


def _build(name: str, table: Table, environment: Mapping[str, str], file: Path) -> Endpoint:
    place = f"{file}: [writers.{name}]"
    pairs = read_table(place, table, Pairs)
    parameters = pairs.get("parameters", {}).items()
    headers = pairs.get("headers", {}).items()
    whole = {
        "base_url": environment.get("OPENAI_BASE_URL") or OPENAI,
        **table,
        "parameters": sorted((word, json.dumps(value)) for word, value in parameters),
        "headers": sorted((word, str(value)) for word, value in headers),
    }
    endpoint = read_table(place, whole, Endpoint, name=name)
    keyless = endpoint.local and "api_key_env" not in table
    return replace(endpoint, api_key_env="") if keyless else endpoint


def _refuse_unpriced(endpoints: Iterable[Endpoint]) -> None:
    """Money can be capped only where it can be counted."""
    from engine.llm.openai.quoter import price

    for endpoint in endpoints:
        if price(endpoint, 1, 1) is None:
            raise UserError(
                f"the price of {endpoint.model} is not known, so money cannot be capped; set "
                f"price_in and price_out of its writer in {FILE}, or cap tokens"
            )


def _read(file: Path) -> Mapping[str, Table]:
    """The tables of a settings file by the names of their writers."""
    tables = read_file(file).get("writers", {})
    for name in tables:
        if name == "builtin" or ":" in name:
            raise UserError(f"{file}: [writers.{name}] is no table with a free name")
    return tables
