"""A language model behind an address: what a run records of it, which is all but its key.

A run records the endpoint it was booked with, so that it resumes the same from any folder; only
the name of the environment variable that holds the key is part of it.
"""

from __future__ import annotations

import ipaddress
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlsplit

from msgspec import Meta

from problems.errors import UserError

OPENAI = "https://api.openai.com/v1"

OURS = ("model", "messages", "stream", "n")
"""Parts of a request that are not the user's to set."""

_PATHS = ("/chat/completions", "/completions", "/responses", "/messages", "/models")
"""What people paste along with a base_url."""

_SECRET_WORDS = ("auth", "key", "token", "secret", "cookie")


Amount = Annotated[float, Meta(ge=0, le=sys.float_info.max)]
"""A finite number from 0 on."""


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
    price_in: Amount | None = None
    price_out: Amount | None = None
    attempt_seconds: Amount = 180.0
    call_seconds: Amount = 600.0

    def __post_init__(self) -> None:
        """Refuse what could not work or would record a secret. Raises UserError."""
        for trouble in _troubles(self):
            raise UserError(f"writer {self.name}: {trouble}")

    @property
    def local(self) -> bool:
        """Whether it runs on this machine: then it needs no key and costs nothing."""
        return _is_loopback(urlsplit(self.base_url).hostname or "")

    @property
    def openai(self) -> bool:
        """Whether it is OpenAI's own: only that learns what the environment says of an account."""
        return urlsplit(self.base_url).hostname == urlsplit(OPENAI).hostname

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that it needs: for the key, and for headers."""
        headers = (value[1:] for _, value in self.headers if value.startswith("$"))
        return tuple(dict.fromkeys(filter(None, (self.api_key_env, *headers))))


def _troubles(endpoint: Endpoint) -> Iterator[str]:
    """What is wrong with an endpoint, in words."""
    if not _is_address(endpoint.base_url):
        yield f"base_url {endpoint.base_url!r} is no http address, or holds a user or a query"
    if pasted := next((end for end in _PATHS if endpoint.base_url.rstrip("/").endswith(end)), ""):
        yield f"base_url {endpoint.base_url!r} ends in {pasted}; leave that out"
    for name, value in endpoint.headers:
        if not value.startswith("$") and any(word in name.lower() for word in _SECRET_WORDS):
            yield (
                f"header {name} looks like a secret; put it into an environment variable and "
                "write $VARIABLE"
            )
    for name, _ in endpoint.parameters:
        if name in OURS:
            yield f"parameter {name} is not yours to set"
    if min(endpoint.attempt_seconds, endpoint.call_seconds) <= 0:
        yield "its timeouts must be above 0 s"


def _is_address(url: str) -> bool:
    """Whether a URL names a server and holds nothing that could be a secret."""
    try:
        parts = urlsplit(url)
        whole = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        return False
    return bool(whole) and not parts.username and not parts.query


def _is_loopback(host: str) -> bool:
    """Whether a host is this very machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
