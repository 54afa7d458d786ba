"""Language models by name: `[writers.NAME]` in preceptor.toml, or `openai:MODEL` as it is.

A run records the endpoint it was booked with, so that it resumes the same from any folder; a key
is never part of it, only the name of the environment variable that holds one.
"""

from __future__ import annotations

import ipaddress
import json
import os
import tomllib
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from problems.errors import UnknownName, UserError, WriterUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.config import RunSpec

FILE = Path("preceptor.toml")

OPENAI = "https://api.openai.com/v1"

PREFIX = "openai:"

OURS = ("model", "messages", "stream", "n")
"""Parts of a request that are not the user's to set."""

_SECRET_WORDS = ("auth", "key", "token", "secret", "cookie")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A language model behind an address, and how it is asked.

    `parameters` (name, JSON text) go into each request unchanged. A header value `$NAME` is read
    from that environment variable. Prices are US dollars per million tokens, None to look them
    up. `attempt_seconds` limit one request, `call_seconds` all attempts at one answer.
    """

    name: str
    model: str
    base_url: str = OPENAI
    api_key_env: str = "OPENAI_API_KEY"
    parameters: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    system: str = ""
    price_in: float | None = None
    price_out: float | None = None
    attempt_seconds: float = 180.0
    call_seconds: float = 600.0

    def __post_init__(self) -> None:
        """Refuse what could not work or would record a secret. Raises UserError."""
        address = urlsplit(self.base_url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise UserError(f"writer {self.name}: base_url {self.base_url!r} is no http address")
        if address.username or address.query:
            raise UserError(f"writer {self.name}: base_url may hold no user, key or query")
        for name, value in self.headers:
            if not value.startswith("$") and any(w in name.lower() for w in _SECRET_WORDS):
                raise UserError(
                    f"writer {self.name}: header {name} looks like a secret; put it into an "
                    "environment variable and write $VARIABLE"
                )
        for name, _ in self.parameters:
            if name in OURS:
                raise UserError(f"writer {self.name}: parameter {name} cannot be set")
        if min(self.attempt_seconds, self.call_seconds) <= 0:
            raise UserError(f"writer {self.name}: its timeouts must be above 0 s")

    @property
    def local(self) -> bool:
        """Whether it runs on this machine: then it needs no key and costs nothing."""
        return is_loopback(urlsplit(self.base_url).hostname or "")

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that it needs: for the key, and for headers."""
        headers = (value[1:] for _, value in self.headers if value.startswith("$"))
        return tuple(dict.fromkeys(filter(None, (self.api_key_env, *headers))))


def furnish(
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


def names(file: Path = FILE) -> tuple[str, ...]:
    """The writers that the file names. Raises UserError when it cannot be read."""
    return tuple(_read(file))


def is_loopback(host: str) -> bool:
    """Whether a host is this very machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


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
    from engine.llm.prices import price

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
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            raise UserError(problem.format("positive number"))
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
    tables = cast("Mapping[str, Any]", document.get("writers", {}))
    for name, table in tables.items():
        if not isinstance(table, dict) or name == "builtin" or ":" in name:
            raise UserError(f"{file}: [writers.{name}] is no table with a free name")
    return tables
