"""A provider on loopback that fails in the ways real ones do: one path for each way.

`http://127.0.0.1:PORT/FAULT/v1` is the base_url at which every request meets that fault. What
comes of it by design stands beside it in `FAULTS`.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SO_LINGER, SOL_SOCKET
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

KEY = "sk-canary-0123456789abcdefghij"
"""The key that must turn up nowhere; the provider knows it from the request."""

PARAGRAPH = "x" * 400

Designed = Literal["answers", "retries", "poor", "refuses", "down", "stops"]
"""`answers` at once; `retries`, then answers; `poor`: an empty reply stands in the end; `refuses`
this request; `down` after all attempts; `stops` at once, for a person to mend."""


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
    if question.startswith("# Analysis"):
        headings = re.findall(r"^## [a-z]\d?(?=  )", question, re.MULTILINE)
        return "\n".join(f"{heading}\nLook at the weights." for heading in headings)
    digest = hashlib.sha256(json.dumps(asked["messages"]).encode()).digest()
    terms = (
        f"{number / 64 - 2} * item.{name}"
        for number, name in zip(digest[:3], ("weight", "duration", "finish"), strict=True)
    )
    code = f"def score(item, state):\n    return {' + '.join(terms)}"
    return f"{{A weighted sum.}}\n```python\n{code}\n```"


@dataclass(frozen=True)
class Fault:
    """What the provider does, what is to come of it, and after how many requests."""

    act: Callable[[Call], None]
    designed: Designed
    requests: int = 1


FAULTS: dict[str, Fault] = {}


def fault(
    designed: Designed, requests: int | None = None
) -> Callable[..., Callable[[Call], None]]:
    """Enter a function into `FAULTS` under its own name, with dashes."""
    usual = {"down": 4, "poor": 4, "retries": 2}.get(designed, 1)

    def enter(act: Callable[[Call], None]) -> Callable[[Call], None]:
        FAULTS[act.__name__.replace("_", "-")] = Fault(act, designed, requests or usual)
        return act

    return enter


@fault("answers")
def fine(call: Call) -> None:
    call.answer()


@fault("retries")
def rate_limit_for_a_moment(call: Call) -> None:
    call.answer() if call.number else call.error(429, "slow down", "0")


@fault("retries")
def rate_limit_until_a_date(call: Call) -> None:
    call.answer() if call.number else call.error(429, "slow down", formatdate(usegmt=True))


@fault("retries")
def overloaded_for_a_moment(call: Call) -> None:
    call.answer() if call.number else call.error(503, "overloaded", "0.01")


@fault("retries")
def empty_for_a_moment(call: Call) -> None:
    call.answer(message={} if call.number else {"content": ""})


@fault("retries", 4)
def three_faults_in_a_row(call: Call) -> None:
    acts = (internal_error, truncated_json, reset_at_once, fine)
    acts[call.number](call)


@fault("down")
def rate_limit_for_ever(call: Call) -> None:
    call.error(429, "slow down")


@fault("down", 1)
def rate_limit_for_long(call: Call) -> None:
    call.error(429, "come back later", "300")


@fault("stops")
def quota_spent(call: Call) -> None:
    call.error(429, "You exceeded your current quota", code="insufficient_quota")


@fault("stops")
def quota_spent_by_type(call: Call) -> None:
    call.error(429, "no credit", "1", type="insufficient_quota")


@fault("down")
def request_timeout(call: Call) -> None:
    call.error(408, "too slow")


@fault("down")
def conflict(call: Call) -> None:
    call.error(409, "conflict")


@fault("down")
def internal_error(call: Call) -> None:
    call.error(500, "internal error")


@fault("down")
def bad_gateway_page(call: Call) -> None:
    call.send("<html><h1>502 Bad Gateway</h1></html>", 502, "text/html")


@fault("down")
def unavailable_page(call: Call) -> None:
    call.send("<html>maintenance</html>", 503, "text/html")


@fault("down")
def overloaded(call: Call) -> None:
    call.error(529, "overloaded", type="overloaded_error")


@fault("down")
def reset_at_once(call: Call) -> None:
    call.reset()


@fault("down")
def end_without_answer(call: Call) -> None:
    """The handler returns: the connection closes without a byte."""


@fault("down")
def end_inside_body(call: Call) -> None:
    whole = json.dumps(completion(call.body))
    call.send(whole[:40], length=len(whole))


@fault("down")
def reset_inside_body(call: Call) -> None:
    call.send("{", length=500)
    call.reset()


@fault("down")
def truncated_json(call: Call) -> None:
    call.send(json.dumps(completion(call.body))[:-20])


@fault("down")
def page_called_json(call: Call) -> None:
    call.send("<html>welcome</html>")


@fault("down")
def captive_portal(call: Call) -> None:
    call.send("<html>Please log in</html>", kind="text/html")


@fault("down")
def no_body(call: Call) -> None:
    call.send("")


@fault("down")
def no_content(call: Call) -> None:
    call.send("", 204)


@fault("down")
def stream_nobody_asked_for(call: Call) -> None:
    call.send('data: {"choices": [{"delta": {}}]}\n\n', kind="text/event-stream")


@fault("down")
def broken_compression(call: Call) -> None:
    call.send(b"\x1f\x8bnonsense", headers={"content-encoding": "gzip"})


@fault("down")
def bottomless_json(call: Call) -> None:
    call.send("[" * 100_000)


@fault("down")
def error_in_an_answer(call: Call) -> None:
    call.error(200, "upstream failed")


@fault("down")
def rate_limit_in_an_answer(call: Call) -> None:
    call.error(200, "slow down", code=429)


@fault("stops")
def bad_key_in_an_answer(call: Call) -> None:
    call.error(200, "who are you", code=401)


@fault("down")
def choices_null(call: Call) -> None:
    call.answer(choices=None)


@fault("down")
def choices_empty(call: Call) -> None:
    call.answer(choices=[])


@fault("down")
def choices_of_null(call: Call) -> None:
    call.answer(choices=[None])


@fault("down")
def message_null(call: Call) -> None:
    call.answer(choices=[{"message": None}])


@fault("down")
def list_for_an_object(call: Call) -> None:
    call.send("[1, 2]")


@fault("down")
def text_for_an_object(call: Call) -> None:
    call.send('"hello"')


@fault("poor")
def content_null(call: Call) -> None:
    call.answer(message={"content": None})


@fault("poor")
def content_blank(call: Call) -> None:
    call.answer(message={"content": " \n"})


@fault("poor")
def tool_call_for_an_answer(call: Call) -> None:
    call.answer(
        message={"content": None, "tool_calls": []}, choice={"finish_reason": "tool_calls"}
    )


@fault("answers")
def usage_absent(call: Call) -> None:
    call.answer(usage=None)


@fault("answers")
def usage_nonsense(call: Call) -> None:
    call.answer(usage={"prompt_tokens": -1, "completion_tokens": "many"})


@fault("answers")
def content_in_parts(call: Call) -> None:
    whole = reply(call.body)
    parts = [{"type": "text", "text": whole[:9]}, None, {"type": "text", "text": whole[9:]}]
    call.answer(message={"content": parts})


@fault("answers")
def finish_reason_null(call: Call) -> None:
    call.answer(choice={"finish_reason": None})


@fault("answers")
def lone_surrogate(call: Call) -> None:
    call.answer(message={"content": "\ud800" + reply(call.body)})


@fault("answers")
def cut_off(call: Call) -> None:
    call.answer(choice={"finish_reason": "length"})


@fault("answers")
def cut_off_while_thinking(call: Call) -> None:
    call.answer(message={"content": ""}, choice={"finish_reason": "length"})


@fault("refuses")
def refusal(call: Call) -> None:
    call.answer(message={"content": None, "refusal": "I cannot help with that."})


@fault("refuses")
def filtered(call: Call) -> None:
    call.answer(message={"content": None}, choice={"finish_reason": "content_filter"})


@fault("refuses")
def filtered_before(call: Call) -> None:
    call.error(400, "The prompt triggered the content policy", code="content_filter")


@fault("refuses")
def context_too_long(call: Call) -> None:
    text = "'max_tokens' is too large: this model's maximum context length is 10 tokens"
    call.error(400, text, code="context_length_exceeded", param="messages")


@fault("refuses")
def body_too_large(call: Call) -> None:
    call.send("<html>413</html>", 413, "text/html")


@fault("stops")
def parameter_refused(call: Call) -> None:
    call.error(400, "Unsupported value: 'temperature'", param="temperature")


@fault("stops")
def parameter_refused_in_detail(call: Call) -> None:
    detail = [{"type": "extra_forbidden", "loc": ["body", "temperature"]}]
    call.send(json.dumps({"detail": detail}), 422)


@fault("stops")
def bad_key(call: Call) -> None:
    call.error(401, "Incorrect API key provided", code="invalid_api_key")


@fault("stops")
def bad_key_repeated(call: Call) -> None:
    """The canary: the body gives back the key in every way that it was sent."""
    sent = call.headers["authorization"]
    call.error(401, f"Incorrect API key provided: {sent.split()[1]}. {PARAGRAPH} {sent}")


@fault("stops")
def account_empty(call: Call) -> None:
    call.error(402, "payment required")


@fault("stops")
def forbidden(call: Call) -> None:
    call.error(403, "no access to this model")


@fault("stops")
def no_such_model(call: Call) -> None:
    call.send('{"error": "model not found, try pulling it first"}', 404)


@fault("stops")
def moved(call: Call) -> None:
    call.send("", 308, headers={"location": "/fine/v1/chat/completions"})


@fault("stops")
def wrong_address(call: Call) -> None:
    call.send("<html>405</html>", 405, "text/html")


@fault("down", 2)
def silence(call: Call) -> None:
    call.hang()


@fault("down", 2)
def silence_inside_body(call: Call) -> None:
    call.send("{", length=500)
    call.hang()


@fault("down", 2)
def slow_body(call: Call) -> None:
    call.send("", length=100_000)
    call.trickle(b" " * 100_000)


@fault("down", 2)
def slow_head(call: Call) -> None:
    call.trickle(b"HTTP/1.1 200 OK\r\nx: " + b"x" * 100_000)


SLOW = ("silence", "silence-inside-body", "slow-body", "slow-head")
"""The faults that only a deadline ends."""


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

    def __init__(self, plan: Mapping[str, Callable[[Call], None]]) -> None:
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

    def log_message(self, *_: object) -> None:
        """No narration."""


@contextmanager
def serve(plan: Mapping[str, Callable[[Call], None]] | None = None) -> Iterator[Provider]:
    """A provider with one path per entry of `plan`, by default all of `FAULTS`."""
    server = Server(plan or {name: entry.act for name, entry in FAULTS.items()})
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server.provider
    finally:
        server.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
