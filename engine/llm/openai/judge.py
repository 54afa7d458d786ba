"""What follows from one attempt at an answer: a pure function, no waiting, no network.

ok         use the reply
retry      the fault may pass: try again, a few times
slot_fail  this very request is refused: the slot ends, the run goes on
pause      nothing can be answered now: for `wait` seconds, or (0) until somebody repairs it
bug        this was not foreseen: stop and say so
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import httpx2
import openai

from engine.domain.text.plain_text import clean
from engine.domain.values import Reply, Usage
from engine.llm.openai.body import (
    count_tokens,
    parse_error,
    parse_json,
    parse_retry_after,
    parse_text,
    parse_usage,
    shorten,
)
from engine.llm.openai.bounded import ReplyTooLong

if TYPE_CHECKING:
    from collections.abc import Collection

    from engine.domain.records import Billed
    from engine.llm.openai.body import ErrorBody

LONGEST_WAIT = 120.0
"""Seconds of Retry-After that are waited for; a longer one pauses the run."""

PASSING = (408, 409, 425, 429)
REFUSING = (400, 413, 422)
SPENT = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")

ADVICE = {
    401: "the key is not accepted; check the variable that holds it, then resume",
    402: "the account is empty; fill it up, then resume",
    403: "the key may not use this model; ask for access, then resume",
    404: "no such model or address; check model and base_url of the writer",
}
ELSE = "check base_url of the writer"
MEND = "check the key, the account and the model of the writer, then resume"

_ACCOUNT = re.compile(
    r"api[ _-]?key.{0,40}(not valid|invalid|incorrect|expired|missing|not found)"
    r"|(invalid|incorrect|expired|missing|no)[ _-](\w+[ _-])?api[ _-]?key"
    r"|model[ _-]not[ _-](found|exist)|model .{0,99}"
    r"(not found|not exist|not available|decommission)"
    r"|(no such|unknown|invalid) model|billing|insufficient[ _-](quota|funds|balance|credits?)"
    r"|credit balance|account.{0,40}(not active|inactive|disabled|deactivated|suspended)",
    re.IGNORECASE,
)
"""What a refusal says that meets every request alike: it concerns key, model or account."""

_TOO_LONG = re.compile(r"context.length|too many tokens|prompt is too long", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An HTTP response as far as it is judged; `retry_after` is that header."""

    status: int
    body: str
    retry_after: str = ""


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """The judgement. A `reply` beside `retry` is poor, but stands when no better one comes.

    `usage` is what the attempt surely used, `billed` whether it may have been paid, `crowded`
    that fewer requests at once would help, `parameter` the setting that the provider refuses.
    """

    kind: Literal["ok", "retry", "slot_fail", "pause", "bug"]
    reason: str = ""
    reply: Reply | None = None
    usage: Usage = field(default_factory=Usage)
    wait: float = 0.0
    billed: Billed = "no"
    crowded: bool = False
    parameter: str = ""


def judge(result: HttpAnswer | Exception, sent: Collection[str] = ()) -> CallOutcome:
    """The outcome of one attempt; `sent` are the names of the parameters that went with it."""
    if isinstance(result, HttpAnswer):
        fine = 200 <= result.status < 300
        return _judge_body(result) if fine else _judge_status(result, sent)
    for error in (result, result.__cause__):  # the SDK may have wrapped it
        if isinstance(error, ReplyTooLong):
            refused = Reply(str(error), "content_filter")
            return CallOutcome("slot_fail", str(error), refused, billed="maybe")
    if isinstance(result, TimeoutError | openai.APITimeoutError):
        return CallOutcome("retry", "no answer in time", billed="maybe")
    if isinstance(result, openai.APIConnectionError):
        never_left = isinstance(result.__cause__, httpx2.ConnectError)
        reason = f"the connection failed ({type(result.__cause__).__name__})"
        return CallOutcome("retry", reason, billed="no" if never_left else "maybe")
    return CallOutcome(
        "bug", shorten(f"unexpected {type(result).__name__}: {result}"), billed="maybe"
    )


def _judge_status(answer: HttpAnswer, sent: Collection[str]) -> CallOutcome:
    error = parse_error(answer.body)
    status = answer.status
    reason = f"HTTP {status}: {error.message}"
    if error.code in SPENT or error.kind in SPENT:
        return CallOutcome("pause", f"{reason} ({ADVICE[402]})")
    if status in REFUSING:
        return _judge_refusal(reason, error, answer.body, sent)
    if status in PASSING or status >= 500:
        wait = parse_retry_after(answer.retry_after)
        kind: Literal["retry", "pause"] = "retry" if wait <= LONGEST_WAIT else "pause"
        return CallOutcome(kind, reason, wait=wait, crowded=status == 429)
    return CallOutcome("pause", f"{reason} ({ADVICE.get(status, ELSE)})")


def _judge_refusal(reason: str, error: ErrorBody, body: str, sent: Collection[str]) -> CallOutcome:
    """Key, account, model or parameter are refused to every request alike, others to this one."""
    words = f"{error.code} {error.kind} {error.message}"
    too_long = _TOO_LONG.search(words)
    if not too_long and error.code != "content_filter" and _ACCOUNT.search(words):
        return CallOutcome("pause", f"{reason} ({MEND})")
    parameter = "" if too_long else _parameter(error, sent)
    if parameter:
        advice = f"the model refuses parameter {parameter}; change it in the writer's settings"
        return CallOutcome("pause", f"{reason} ({advice})", parameter=parameter)
    return CallOutcome("slot_fail", reason, Reply(reason, "content_filter", raw=body))


def _parameter(error: ErrorBody, sent: Collection[str]) -> str:
    """The parameter that an error is about, if it is one that was sent."""
    if error.param in sent:
        return error.param
    for name in sent:
        word = re.escape(name)
        if re.search(rf"['\"`]{word}['\"`]|param\w*:? {word}\b", error.message):
            return name
    return ""


def _judge_body(answer: HttpAnswer) -> CallOutcome:
    document = parse_json(answer.body)
    if not isinstance(document, dict):
        return CallOutcome("retry", "the answer is not a JSON object", billed="maybe")
    if document.get("error"):
        return _judge_hidden_error(answer)
    choices = document.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        usage = parse_usage(document) or Usage()
        return CallOutcome("retry", "the answer contains no message", usage=usage, billed="maybe")
    return _judge_message(
        message, parse_text(choice.get("finish_reason")) or "stop", document, answer
    )


def _judge_hidden_error(answer: HttpAnswer) -> CallOutcome:
    """Some gateways answer 200 and put the error, with the status as its code, into the body."""
    code = parse_error(answer.body).code
    status = int(code) if re.fullmatch(r"[45]\d\d", code) else 500
    return _judge_status(HttpAnswer(status, answer.body, answer.retry_after), ())


def _judge_message(
    message: dict[str, Any], finish: str, document: dict[str, Any], answer: HttpAnswer
) -> CallOutcome:
    text = parse_text(message.get("content"))
    refusal = parse_text(message.get("refusal"))
    if finish == "content_filter" or (refusal and not text):
        finish = "content_filter"
        text = text or refusal or "the answer was filtered out"
    usage = parse_usage(document) or Usage(0, count_tokens(text))
    reply = Reply(text, finish, clean(parse_text(document.get("model"))), raw=answer.body)
    if finish == "content_filter":
        return CallOutcome("slot_fail", shorten(text), reply, usage, billed="yes")
    if not text.strip() and finish != "length":
        return CallOutcome("retry", "the answer is empty", reply, usage, billed="yes")
    return CallOutcome("ok", "", reply, usage, billed="yes")
