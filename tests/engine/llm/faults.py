"""The ways in which real providers fail, and what is to come of each by design.

answers   at once                        empty   twice without text, which ends its slot
retries   then answers                   down    after all attempts
refuses   this request, not others       stops   at once, for a person to mend
misfits   is no answer four times: stops
"""

from __future__ import annotations

import gzip
import json
from contextlib import AbstractContextManager
from dataclasses import dataclass
from email.utils import formatdate
from typing import Any, Literal

from tests.engine.llm.provider import Act, Call, Provider, completion, reply, serve

Designed = Literal["answers", "retries", "empty", "refuses", "down", "stops", "misfits"]


@dataclass(frozen=True)
class Fault:
    """What the provider does, what is to come of it, and after how many requests."""

    act: Act
    designed: Designed
    requests: int


def meet(designed: Designed, act: Act, requests: int | None = None) -> Fault:
    """A fault; what is tried again is tried four times in all, or answered the second time."""
    usual = {"down": 4, "misfits": 4, "empty": 2, "retries": 2}.get(designed, 1)
    return Fault(act, designed, requests or usual)


def answer(**changes: Any) -> Act:
    """A completion with some members replaced."""
    return lambda call: call.answer(**changes)


def say(content: object, finish: str | None = "stop", **more: object) -> Act:
    """A completion with other content."""
    message = {"content": content, **more}
    return lambda call: call.answer(message=message, choice={"finish_reason": finish})


def error(status: int, message: str, retry_after: str = "", **fields: object) -> Act:
    """An error in OpenAI's shape."""
    return lambda call: call.error(status, message, retry_after, **fields)


def page(body: str, status: int = 200, kind: str = "text/html") -> Act:
    """Whatever this is, it is no completion."""
    return lambda call: call.send(body, status, kind)


def raw(body: str) -> Act:
    """The same under the name of JSON."""
    return page(body, kind="application/json")


def first(*acts: Act) -> Act:
    """One act a request, the last one for ever."""
    return lambda call: acts[min(call.number, len(acts) - 1)](call)


def truncate(call: Call) -> None:
    """A length that is right for a document that is not whole."""
    call.send(json.dumps(completion(call.body))[:-20])


def end_early(call: Call) -> None:
    """A length that is never reached."""
    call.send("{", length=500)


def break_early(call: Call) -> None:
    """The same, and the connection is reset."""
    end_early(call)
    call.reset()


def hang_early(call: Call) -> None:
    """The same, and the connection stays open."""
    end_early(call)
    call.hang()


def drip_body(call: Call) -> None:
    """A byte now and then: no read ever times out."""
    call.send("", length=100_000)
    call.trickle(b" " * 100_000)


def drip_fast(call: Call, status: int = 200) -> None:
    """A body without end, as fast as it is read."""
    call.send("", status, length=10**12)
    call.flood(b" " * 100_000)


def inflate(call: Call) -> None:
    """A small body that unpacks to a large one."""
    packed = gzip.compress(b" " * 50_000_000)
    call.send(packed, headers={"content-encoding": "gzip"})


def drip_head(call: Call) -> None:
    """The same before the body."""
    call.trickle(b"HTTP/1.1 200 OK\r\nx: " + b"x" * 100_000)


def split(call: Call) -> None:
    """Content in parts, as some gateways send it."""
    whole = reply(call.body)
    parts = [{"type": "text", "text": whole[:9]}, None, {"type": "text", "text": whole[9:]}]
    call.answer(message={"content": parts})


def slip(call: Call) -> None:
    """Half a character before the program."""
    call.answer(message={"content": "\ud800" + reply(call.body)})


def move(call: Call) -> None:
    """Send the client, and its key, elsewhere."""
    call.send("", 308, headers={"location": "/fine/v1/chat/completions"})


def repeat_key(call: Call) -> None:
    """Give the key back in every way that it was sent."""
    sent = call.headers["authorization"]
    call.error(401, f"Incorrect API key provided: {sent.split()[1]}. {'x' * 400} {sent}")


GOOD, BUSY = answer(), error(429, "slow down")
SPENT = "insufficient_quota"
DETAIL = json.dumps({"detail": [{"type": "extra_forbidden", "loc": ["body", "temperature"]}]})
TOO_LONG = "'max_tokens' is too large: this model's maximum context length is 10 tokens"

FAULTS: dict[str, Fault] = {
    "fine": meet("answers", GOOD),
    "usage-absent": meet("answers", answer(usage=None)),
    "usage-nonsense": meet("answers", answer(usage={"prompt_tokens": -1})),
    "content-in-parts": meet("answers", split),
    "lone-surrogate": meet("answers", slip),
    "finish-reason-null": meet("answers", answer(choice={"finish_reason": None})),
    "cut-off": meet("answers", answer(choice={"finish_reason": "length"})),
    "cut-off-while-thinking": meet("answers", say("", "length")),
    "busy-for-a-moment": meet("retries", first(error(429, "slow down", "0"), GOOD)),
    "busy-until-a-date": meet("retries", first(error(429, "no", formatdate(usegmt=True)), GOOD)),
    "overloaded-for-a-moment": meet("retries", first(error(503, "overloaded", "0.01"), GOOD)),
    "empty-for-a-moment": meet("retries", first(say(""), GOOD)),
    "three-in-a-row": meet("retries", first(error(500, "no"), truncate, break_early, GOOD), 4),
    "content-null": meet("empty", say(None)),
    "content-blank": meet("empty", say(" \n")),
    "tool-call": meet("empty", say(None, "tool_calls", tool_calls=[])),
    "refusal": meet("refuses", say(None, refusal="I cannot help with that.")),
    "filtered": meet("refuses", say(None, "content_filter")),
    "prompt-filtered": meet("refuses", error(400, "against the policy", code="content_filter")),
    "context-too-long": meet("stops", error(400, TOO_LONG, code="context_length_exceeded")),
    "body-too-large": meet("refuses", page("<html>413</html>", 413)),
    "endless": meet("refuses", drip_fast),
    "bomb": meet("refuses", inflate),
    "endless-error": meet("refuses", lambda call: drip_fast(call, 400)),
    "busy": meet("down", BUSY),
    "busy-for-long": meet("down", error(429, "come back later", "300"), 1),
    "request-timeout": meet("down", error(408, "too slow")),
    "conflict": meet("down", error(409, "conflict")),
    "internal-error": meet("down", error(500, "internal error")),
    "bad-gateway-page": meet("down", page("<html><h1>502 Bad Gateway</h1></html>", 502)),
    "maintenance-page": meet("down", page("<html>maintenance</html>", 503)),
    "overloaded": meet("down", error(529, "overloaded", type="overloaded_error")),
    "reset-at-once": meet("down", lambda call: call.reset()),
    "end-at-once": meet("down", lambda call: None),
    "end-inside-body": meet("down", end_early),
    "reset-inside-body": meet("down", break_early),
    "truncated-json": meet("misfits", truncate),
    "bottomless-json": meet("misfits", raw("[" * 100_000)),
    "page-called-json": meet("misfits", raw("<html>welcome</html>")),
    "captive-portal": meet("misfits", page("<html>Please log in</html>")),
    "no-body": meet("misfits", raw("")),
    "no-content": meet("misfits", page("", 204)),
    "list-for-an-object": meet("misfits", raw("[1, 2]")),
    "text-for-an-object": meet("misfits", raw('"hello"')),
    "unasked-stream": meet("misfits", page("data: {}\n\n", kind="text/event-stream")),
    "broken-compression": meet(
        "down", lambda call: call.send(b"\x1f\x8bno", headers={"content-encoding": "gzip"})
    ),
    "error-in-an-answer": meet("down", error(200, "upstream failed")),
    "busy-in-an-answer": meet("down", error(200, "slow down", code=429)),
    "choices-null": meet("misfits", answer(choices=None)),
    "choices-empty": meet("misfits", answer(choices=[])),
    "choices-of-null": meet("misfits", answer(choices=[None])),
    "message-null": meet("misfits", answer(choices=[{"message": None}])),
    "silence": meet("down", lambda call: call.hang(), 2),
    "silence-inside-body": meet("down", hang_early, 2),
    "slow-body": meet("down", drip_body, 2),
    "slow-head": meet("down", drip_head, 2),
    "quota-spent": meet("stops", error(429, "You exceeded your current quota", code=SPENT)),
    "quota-spent-by-type": meet("stops", error(429, "no credit", "1", type=SPENT)),
    "bad-key": meet("stops", error(401, "Incorrect API key", code="invalid_api_key")),
    "bad-key-repeated": meet("stops", repeat_key),
    "bad-key-in-an-answer": meet("stops", error(200, "who are you", code=401)),
    "account-empty": meet("stops", error(402, "payment required")),
    "forbidden": meet("stops", error(403, "no access to this model")),
    "no-such-model": meet("stops", page('{"error": "model not found, pull it first"}', 404)),
    "wrong-address": meet("stops", page("<html>405</html>", 405)),
    "moved": meet("stops", move),
    "google-key": meet("stops", error(400, "API key not valid. Please pass a valid API key.")),
    "model-in-400": meet("stops", error(400, "no such thing", code="model_not_found")),
    "key-in-400": meet("stops", error(400, "sorry", code="invalid_api_key")),
    "credit-in-400": meet("stops", error(400, "Your credit balance is too low to access us")),
    "parameter-refused": meet("stops", error(400, "Unsupported value", param="temperature")),
    "parameter-refused-in-detail": meet("stops", page(DETAIL, 422)),
}

SLOW = ("silence", "silence-inside-body", "slow-body", "slow-head")
"""The faults that only a deadline ends."""


def serve_faults() -> AbstractContextManager[Provider]:
    """A provider with one path for each fault."""
    return serve({name: fault.act for name, fault in FAULTS.items()})
