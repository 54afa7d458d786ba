"""A provider on loopback: `http://127.0.0.1:PORT/PATH/v1` does what the test plans for PATH."""

from __future__ import annotations

import hashlib
import json
import re
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SO_LINGER, SOL_SOCKET
from typing import Any

Act = Callable[["Call"], None]

MEASURED = re.compile(r"CPU [\d.e+-]+( of \d+ s, [\d.e+-]+ ms| s)|CPU time on one instance of .*")
"""CPU times in prompts: what is answered shall not depend on them."""

KEY = "sk-canary-0123456789abcdefghij"
"""The key that must turn up nowhere; the provider knows it from the request."""


class Call:
    """One request as a fault sees it, and the ways to answer."""

    def __init__(self, handler: BaseHTTPRequestHandler, number: int, closing: threading.Event):
        """`number` counts the requests of this path, from 0; hanging ends with `closing`."""
        self._handler, self.number, self.closing = handler, number, closing
        length = int(handler.headers.get("content-length", 0))
        self.body: dict[str, Any] = json.loads(handler.rfile.read(length))
        self.headers = {name.lower(): value for name, value in handler.headers.items()}

    def send(
        self,
        body: bytes | str,
        status: int = 200,
        kind: str = "application/json",
        headers: Mapping[str, str] = {},
        length: int | None = None,
    ) -> None:
        """An answer as it is; `length` may lie about its size."""
        data = body.encode() if isinstance(body, str) else body
        self._handler.send_response(status)
        size = str(len(data) if length is None else length)
        for name, value in {"content-type": kind, "content-length": size, **headers}.items():
            self._handler.send_header(name, value)
        self._handler.end_headers()
        self._handler.wfile.write(data)

    def error(self, status: int, message: str, retry_after: str = "", **fields: object) -> None:
        """An error in OpenAI's shape."""
        headers = {"retry-after": retry_after} if retry_after else {}
        self.send(json.dumps({"error": {"message": message, **fields}}), status, headers=headers)

    def answer(self, **changes: object) -> None:
        """A good completion with some members replaced; `message` and `choice` go inside."""
        self.send(json.dumps(completion(self.body, **changes)))

    def trickle(self, data: bytes) -> None:
        """A byte at a time, for as long as somebody listens."""
        for byte in data:
            if self.closing.wait(0.02):
                return
            self._handler.wfile.write(bytes([byte]))

    def flood(self, data: bytes) -> None:
        """The same again and again, for as long as somebody reads."""
        while not self.closing.is_set():
            self._handler.wfile.write(data)

    def hang(self) -> None:
        """Say nothing."""
        self.closing.wait()

    def reset(self) -> None:
        """Break the connection the hard way."""
        self._handler.connection.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
        self._handler.connection.close()


def completion(asked: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """A completion whose text depends on the question alone."""
    message = {"role": "assistant", "content": reply(asked), **changes.pop("message", {})}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "fake-1",
        "choices": [{**choice, **changes.pop("choice", {})}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
        **changes,
    }


def reply(asked: Mapping[str, Any]) -> str:
    """Briefs for an analysis, else a program for the toy with numbers drawn from the question."""
    question = asked["messages"][-1]["content"]
    if "\n# Analysis" in question:
        headings = re.findall(r"^(Slot \d+ \(.*\)): \.\.\.$", question, re.MULTILINE)
        return "\n".join(f"{heading}: Look at the weights." for heading in headings)
    text = MEASURED.sub("", json.dumps(asked["messages"]))
    digest = hashlib.sha256(text.encode()).digest()
    terms = (
        f"{number / 64 - 2} * item.{name}"
        for number, name in zip(digest[:3], ("weight", "duration", "finish"), strict=True)
    )
    code = f"def score(item, state):\n    return {' + '.join(terms)}"
    return f"{{A weighted sum.}}\n```python\n{code}\n```"


@dataclass
class Provider:
    """A running server: where it listens and what it was asked, in order."""

    port: int
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def url(self, path: str) -> str:
        """The base_url of a fault."""
        return f"http://127.0.0.1:{self.port}/{path}/v1"

    def count(self, path: str) -> int:
        """How many requests came to a fault."""
        return sum(where == path for where, _ in self.asked)


class Server(ThreadingHTTPServer):
    """Counts, and knows when it is over."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, plan: Mapping[str, Act]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.plan, self.closing = plan, threading.Event()
        self.provider = Provider(self.server_address[1])
        self.turn = threading.Lock()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are what this is about."""


class Handler(BaseHTTPRequestHandler):
    """Every POST meets the fault of its path."""

    server: Server

    def do_POST(self) -> None:
        path = self.path.split("/")[1]
        with self.server.turn:
            call = Call(self, self.server.provider.count(path), self.server.closing)
            self.server.provider.asked.append((path, call.body))
        self.server.plan[path](call)

    def do_GET(self) -> None:
        """The list of models, which `/locked/` and `/unlisted/` do not give to this key."""
        path = self.path.split("/")[1]
        said = {"locked": "Incorrect API key", "unlisted": "Missing scopes: model.read"}.get(path)
        body = json.dumps({"error": {"message": said}} if said else {"data": []}).encode()
        self.send_response(401 if said else 200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """No narration."""


@contextmanager
def serve(plan: Mapping[str, Act]) -> Iterator[Provider]:
    """A provider with one path for each entry of `plan`."""
    server = Server(plan)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server.provider
    finally:
        server.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
