"""Model servers on loopback: found where they answer, and never a reason to stop."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.api.doctor import check_models
from engine.domain.specs.settings import Caps
from engine.domain.text.plain_text import clean
from engine.llm.openai.local_servers import MOST, find_servers, ports_here, read_models
from engine.runtime.writers.writer_config import resolve_endpoints
from tests.engine.samples import SPEC

if TYPE_CHECKING:
    from pytest_httpserver import HTTPServer

LISTED = {"object": "list", "data": [{"id": "qwen3:30b"}, {"id": "llama3"}, {"id": 3}, "x"]}
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["data", "id"]), inner),
)


@pytest.fixture
def silent() -> Iterator[int]:
    """A port at which somebody takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def rude() -> Iterator[int]:
    """A port at which somebody says what is no HTTP."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"\x00\xff SSH-2.0 HTTP/1.1 200\r\n" * 9)

        threading.Thread(target=greet, daemon=True).start()
        yield server.getsockname()[1]


def test_servers_are_found_beside_those_that_say_nothing_or_nonsense(
    httpserver: HTTPServer, silent: int, rude: int
) -> None:
    httpserver.expect_request("/v1/models").respond_with_json(LISTED)
    (found,) = find_servers((silent, rude, 1, httpserver.port), patience=5.0)
    assert found.models == ("qwen3:30b", "llama3")
    told = check_models([found], (8080,)).detail
    assert told.endswith(f"ask one with --llm openai:qwen3:30b@{found.address}")
    assert "looked at ports 8080, 9000" in check_models([], (8080, 9000)).detail


def test_a_model_is_asked_at_its_address_without_a_key(tmp_path: Path) -> None:
    local = "openai:qwen3:30b@http://127.0.0.1:8000/v1"
    spec = replace(SPEC, writer=local, analyzer="", caps=Caps())
    (endpoint,) = resolve_endpoints(spec, {}, tmp_path / "none.toml").endpoints
    assert (endpoint.model, endpoint.base_url) == ("qwen3:30b", "http://127.0.0.1:8000/v1")
    assert endpoint.variables == ()


@settings(max_examples=100)
@given(st.binary() | JSON.map(lambda value: json.dumps({"data": value}).encode()))
def test_any_answer_is_read_as_names_that_a_terminal_may_show(answer: bytes) -> None:
    names = read_models(answer)
    assert len(names) <= MOST
    assert all(name and clean(name) == name and "," not in name for name in names)


@pytest.mark.parametrize(
    ("address", "ports"),
    [
        ("http://localhost:9001/v1", (9001, 11434, 8000, 8080)),
        ("http://127.0.0.1:8000/v1", (8000, 11434, 8080)),
        ("https://models.example.com:9001/v1", (11434, 8000, 8080)),
        ("http://localhost:port", (11434, 8000, 8080)),
        ("", (11434, 8000, 8080)),
    ],
)
def test_a_server_that_the_environment_names_is_looked_at_first(
    address: str, ports: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    assert ports_here() == ports
    assert ports_here(["http://[", "http://localhost:9100/v1"]) == (9100, *ports)
