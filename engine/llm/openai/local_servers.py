"""Model servers on this machine, found at the ports they usually listen at.

What answers there may be anything: it is read as far as it is a list of models, and no longer
than a moment.
"""

from __future__ import annotations

import json
import os
import queue
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

from engine.domain.text.plain_text import clean

PORTS = (11434, 8000, 8080)
"""Where Ollama, vLLM and llama.cpp listen unless told otherwise."""

PATIENCE = 1.0
"""Seconds after which a server is not waited for any longer."""

LONGEST = 1_000_000
"""Bytes of an answer that are read."""

MOST = 20
"""Models of a server that are listed."""

NAME = 200
"""Characters that the name of a model may have."""


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server at `address`, with the names of its models."""

    address: str
    models: tuple[str, ...]

    @property
    def writers(self) -> tuple[str, ...]:
        """What `--llm` calls its models."""
        return tuple(f"openai:{model}@{self.address}" for model in self.models)


def ports_here(addresses: Iterable[str] = ()) -> tuple[int, ...]:
    """The usual ports, and first those of addresses on this machine, of `OPENAI_BASE_URL`, too."""
    found = map(_local_port, (*addresses, os.environ.get("OPENAI_BASE_URL", "")))
    return tuple(dict.fromkeys((*filter(None, found), *PORTS)))


def _local_port(address: str) -> int | None:
    try:
        named = urlsplit(address)
        return named.port if named.hostname in ("localhost", "127.0.0.1") else None
    except ValueError:
        return None


def find_servers(
    ports: Sequence[int] | None = None, patience: float = PATIENCE
) -> tuple[LocalServer, ...]:
    """The servers that answer with a list of models, all asked at once, in the order of ports.

    Without `ports` those of `ports_here`.
    """
    ports = ports_here() if ports is None else ports
    answers: queue.SimpleQueue[tuple[int, bytes]] = queue.SimpleQueue()
    for port in ports:
        threading.Thread(target=_ask, args=(port, patience, answers), daemon=True).start()
    until = time.monotonic() + patience
    heard: dict[int, tuple[str, ...]] = {}
    while len(heard) < len(ports):
        try:
            port, answer = answers.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            break
        heard[port] = read_models(answer)
    addresses = {port: f"http://127.0.0.1:{port}/v1" for port in ports}
    return tuple(LocalServer(addresses[port], heard[port]) for port in ports if heard.get(port))


def read_models(answer: bytes) -> tuple[str, ...]:
    """The names in a list of models as OpenAI's interface gives it; none in anything else.

    Names that `--llm` could not say, or that no terminal should show, are left out.
    """
    try:
        found = json.loads(answer)
    except (ValueError, RecursionError):
        return ()
    listed = found.get("data") if isinstance(found, dict) else None
    if not isinstance(listed, list):
        return ()
    names = (one.get("id") for one in listed if isinstance(one, dict))
    known = (name for name in names if isinstance(name, str) and _is_sayable(name))
    return tuple(dict.fromkeys(known))[:MOST]


def _is_sayable(name: str) -> bool:
    plain = clean(name) == name and not any(sign.isspace() for sign in name)
    return plain and 0 < len(name) <= NAME and "," not in name and "@" not in name


def _ask(port: int, patience: float, answers: queue.SimpleQueue[tuple[int, bytes]]) -> None:
    """Put the answer of what listens at a port into the queue, b"" where nothing does."""
    answer = b""
    connection = HTTPConnection("127.0.0.1", port, timeout=patience)
    try:
        connection.request("GET", "/v1/models")
        response = connection.getresponse()
        answer = response.read(LONGEST) if response.status == 200 else b""
    except (OSError, HTTPException, ValueError):
        pass  # nobody there, or nobody who speaks HTTP
    finally:
        connection.close()
        answers.put((port, answer))
