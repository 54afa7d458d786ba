"""Language models by name: `[writers.NAME]` in preceptor.toml, or `openai:MODEL` as it is."""

from __future__ import annotations

import json
import math
import os
import tomllib
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.domain.specs.endpoint import OPENAI, Endpoint
from problems.errors import UnknownName, UserError, WriterUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.domain.specs.settings import RunSpec

FILE = Path("preceptor.toml")

PREFIX = "openai:"


def resolve_endpoints(
    spec: RunSpec, environment: Mapping[str, str] = os.environ, file: Path = FILE
) -> RunSpec:
    """The specification with the endpoints of its writers, as a run is booked.

    Raises UnknownName for a word that names no writer, UserError for a table that does not fit.
    """
    tables = _read(file)
    named = dict.fromkeys(filter(None, (spec.writer, spec.analyzer)))
    found = (_find(name, tables, environment, file) for name in named)
    endpoints = tuple(endpoint for endpoint in found if endpoint)
    if spec.caps.usd is not None:
        _refuse_unpriced(endpoints)
    return replace(spec, endpoints=endpoints)


def names(file: Path = FILE) -> tuple[str, ...]:
    """The language models that a settings file names. Raises UserError for one it cannot mean."""
    return tuple(_read(file))


def collect_keys(
    endpoints: Iterable[Endpoint], environment: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Variable and key for everything that the endpoints need: what `launch` hands over.

    Raises WriterUnavailable that names the missing variable.
    """
    keys = {}
    for endpoint in endpoints:
        for variable in endpoint.variables:
            keys[variable] = environment.get(variable, "").strip()
            if not keys[variable]:
                raise WriterUnavailable(
                    f"writer {endpoint.name} needs a key and {variable} is not set; export it, "
                    f"or name another variable with api_key_env in {FILE}"
                )
    return keys


def _find(
    name: str, tables: Mapping[str, Any], environment: Mapping[str, str], file: Path
) -> Endpoint | None:
    """The endpoint of that name; None when another kind of writer is meant."""
    if name in tables:
        return _build(name, tables[name], environment, file)
    if name.startswith(PREFIX) and name != PREFIX:
        return _build(name, {"model": name.removeprefix(PREFIX)}, environment, file)
    if name == "builtin" or ":" in name:
        return None
    raise UnknownName("writer", name, ("builtin", "replay:RUN", "openai:MODEL", *tables))


def _build(
    name: str, table: Mapping[str, Any], environment: Mapping[str, str], file: Path
) -> Endpoint:
    known = {field.name for field in fields(Endpoint)} - {"name"}
    for key in table:
        if key not in known:
            raise UnknownName(f"setting of writer {name}", key, known)
    if "model" not in table:
        raise UserError(f"{file}: writer {name} names no model")
    values = {key: _convert(name, key, value) for key, value in table.items()}
    values.setdefault("base_url", environment.get("OPENAI_BASE_URL") or OPENAI)
    endpoint = Endpoint(name=name, **values)
    keyless = endpoint.local and "api_key_env" not in table
    return replace(endpoint, api_key_env="") if keyless else endpoint


def _refuse_unpriced(endpoints: Iterable[Endpoint]) -> None:
    """Money can be capped only where it can be counted."""
    from engine.llm.openai.prices import price

    for endpoint in endpoints:
        if price(endpoint, 1, 1) is None:
            raise UserError(
                f"the price of {endpoint.model} is not known, so money cannot be capped; set "
                f"price_in and price_out of its writer in {FILE}, or cap tokens"
            )


def _convert(writer: str, key: str, value: Any) -> Any:
    """A value of the file as the field of that name holds it. Raises UserError."""
    problem = f"writer {writer}: {key} is no {{}}"
    if key in ("parameters", "headers"):
        if not isinstance(value, dict):
            raise UserError(problem.format("table"))
        text = json.dumps if key == "parameters" else str
        return tuple(sorted((name, text(item)) for name, item in value.items()))
    if key.startswith("price") or key.endswith("seconds"):
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not 0 <= value < math.inf:
            raise UserError(problem.format("number from 0 on"))
        return float(value)
    if not isinstance(value, str):
        raise UserError(problem.format("text"))
    return value


def _read(file: Path) -> Mapping[str, Any]:
    if not file.is_file():
        return {}
    try:
        document = tomllib.loads(file.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{file}: {error}") from error
    tables = document.get("writers", {})
    if not isinstance(tables, dict):
        raise UserError(f"{file}: writers are tables, written [writers.NAME]")
    for name, table in tables.items():
        if not isinstance(table, dict) or name == "builtin" or ":" in name:
            raise UserError(f"{file}: [writers.{name}] is no table with a free name")
    return tables
