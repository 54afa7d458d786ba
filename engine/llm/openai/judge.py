"""What follows from one attempt at an answer: a pure function, no waiting, no network.

ok         use the reply
retry      the fault may pass: try again, a few times
slot_fail  this very request is refused: the slot ends, the run continues
pause      nothing can be answered now: for `wait` seconds, or (0) until somebody repairs it
bug        this was not foreseen: stop and say so
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Literal

import httpx2
import openai

from engine.domain.records import Billed
from engine.domain.text.plain_text import clean
from engine.domain.values import Reply, Usage
from engine.llm.openai.body import (
    ErrorBody,
    count_tokens,
    parse_completion,
    parse_error,
    parse_json,
    parse_reasoning,
    parse_retry_after,
    parse_text,
    parse_usage,
    shorten,
)
from engine.llm.openai.bounded import ReplyTooLong

SHOWN_WORDS = 80
"""Characters that are shown of what came in place of an answer."""

SHOWN_KEYS = 100

LONGEST_WAIT = 120.0
"""Seconds of Retry-After that are waited for; a longer one pauses the run."""

PASSING = (408, 409, 425, 429)
UNPAID = (503, 529)
"""Failures of a server that say that it did not begin."""

REFUSING = (400, 413, 422)
SPENT = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")

ADVICE = {
    401: "the key is not accepted; check the variable that holds it, then resume",
    402: "the account is empty; fill it up, then resume",
    403: "the key may not use this model, or something before it refuses you; ask for access, "
    "then resume",
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

_TOO_LONG = re.compile(
    r"context[ _.-]?(length|size|window)|exceed_context|too many tokens"
    r"|(prompt|input) (is )?too long|input token count",
    re.IGNORECASE,
)
"""What is said of a prompt that the model's context does not hold."""

_NUMBER = re.compile(r"\d[\d,]{2,9}")

_MODERATION = re.compile(r"moderation|flagged", re.IGNORECASE)
"""What a gateway says of a prompt that it does not pass on."""

FINISH = {
    "length": ("length", "max_tokens", "max_output_tokens", "model_length", "max_length"),
    "content_filter": (
        *("content_filter", "content_filtered", "safety", "refusal", "recitation", "blocklist"),
        *("prohibited_content", "sensitive", "guardrail_intervened"),
    ),
    "stop": ("stop", "end_turn", "eos", "eos_token", "stop_sequence", "completed", ""),
}
"""Finish reasons, and what else they are called."""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An HTTP response as far as it is judged; `retry_after` is that header."""

    status: int
    body: str
    retry_after: str = ""


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """The judgement. A `reply` beside `retry` is poor, but stands when no better one comes.

    `usage` is what the attempt used, None where that is unknown, `billed` whether it may have been
    paid, `crowded` that fewer requests at once would help, `parameter` the setting that the
    provider refuses. `misfit` names what came in place of an answer, and would come again.
    `too_long` says that the context of the model does not hold prompt and answer.
    """

    kind: Literal["ok", "retry", "slot_fail", "pause", "bug"]
    reason: str = ""
    reply: Reply | None = None
    usage: Usage | None = None
    wait: float = 0.0
    billed: Billed = "no"
    crowded: bool = False
    parameter: str = ""
    misfit: str = ""
    too_long: bool = False


def judge(
    result: HttpAnswer | Exception, sent: Collection[str] = (), prompt: int = 0
) -> CallOutcome:
    """The outcome of one attempt.

    `sent` are the names of the parameters that went with it, `prompt` the tokens of the prompt as
    estimated, for servers that do not count them.
    """
    if isinstance(result, HttpAnswer):
        fine = 200 <= result.status < 300
        return _judge_body(result, prompt) if fine else _judge_status(result, sent)
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
        used = parse_usage(parse_json(answer.body))
        began = status == 408 or (status >= 500 and status not in UNPAID)
        billed: Billed = "yes" if used else "maybe" if began else "no"
        return CallOutcome(kind, reason, None, used, wait, billed, crowded=status == 429)
    if status == 403 and _MODERATION.search(error.message):
        return CallOutcome("slot_fail", reason, Reply(reason, "content_filter", raw=answer.body))
    return CallOutcome("pause", f"{reason} ({ADVICE.get(status, ELSE)})")


def _judge_refusal(reason: str, error: ErrorBody, body: str, sent: Collection[str]) -> CallOutcome:
    """Key, account, model or parameter are refused to every request alike, others to this one."""
    words = f"{error.code} {error.kind} {error.message}"
    too_long = _TOO_LONG.search(words)
    if not too_long and error.code != "content_filter" and _ACCOUNT.search(words):
        return CallOutcome("pause", f"{reason} ({MEND})")
    if too_long:
        return CallOutcome("pause", f"{reason} ({_tell_length(error.message)})", too_long=True)
    parameter = _parameter(error, sent)
    if parameter:
        advice = f"the model refuses parameter {parameter}; change it in the writer's settings"
        return CallOutcome("pause", f"{reason} ({advice})", parameter=parameter)
    return CallOutcome("slot_fail", reason, Reply(reason, "content_filter", raw=body))


def _tell_length(message: str) -> str:
    """What to do about a context that is too small, with the length where that is known."""
    numbers = sorted({int(found.replace(",", "")) for found in _NUMBER.findall(message)})
    needed = f"at least {numbers[-1]:,} tokens" if len(numbers) > 1 else "more tokens"
    return f"the model's context is too small: give it {needed}, or shorter prompts, then resume"


def _parameter(error: ErrorBody, sent: Collection[str]) -> str:
    """The parameter that an error is about, if it is one that was sent."""
    if error.param in sent:
        return error.param
    for name in sent:
        word = re.escape(name)
        if re.search(rf"['\"`]{word}['\"`]|param\w*:? {word}\b", error.message):
            return name
    return ""


def _judge_body(answer: HttpAnswer, prompt: int) -> CallOutcome:
    document = parse_completion(answer.body)
    if not isinstance(document, dict):
        return _misfit(answer, None, None)
    if document.get("error"):
        return _judge_hidden_error(answer, document["error"])
    usage = parse_usage(document, prompt)
    choices = document.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict):
        return _misfit(answer, document, usage)
    if choice.get("error"):
        found = _judge_hidden_error(answer, choice["error"])
        billed: Billed = "yes" if usage else "maybe"
        return replace(found, usage=usage, billed=billed, misfit=found.reason)
    if not isinstance(message, dict):
        return _misfit(answer, document, usage)
    finish = _read_finish(choice.get("finish_reason"))
    reply = Reply("", finish, clean(parse_text(document.get("model"))), raw=answer.body)
    return _judge_message(message, reply, usage, prompt)


def _misfit(
    answer: HttpAnswer, document: dict[str, Any] | None, usage: Usage | None
) -> CallOutcome:
    """Something that is no completion: another protocol, a page, nothing at all."""
    body = shorten(answer.body)
    if document is not None:
        kind = f"an object of {', '.join(sorted(map(str, document)))[:SHOWN_KEYS]}"
    elif not body:
        kind = f"nothing (HTTP {answer.status})"
    else:
        kind = "a page" if body.startswith("<") else "something that is not whole, or no JSON"
    kind = shorten(kind)
    begins = f", which begins: {body[:SHOWN_WORDS]}" if body else ""
    reason = f"what came is no chat completion but {kind}{begins}"
    return CallOutcome("retry", reason, None, usage, 0.0, "yes" if usage else "maybe", misfit=kind)


def _judge_hidden_error(answer: HttpAnswer, error: object) -> CallOutcome:
    """Some gateways answer 200 and put the error, with the status as its code, into the body."""
    body = json.dumps({"error": error})
    code = parse_error(body).code
    status = int(code) if re.fullmatch(r"[45]\d\d", code) else 500
    return _judge_status(HttpAnswer(status, body, answer.retry_after), ())


def _read_finish(found: object) -> str:
    """Why an answer ended, in OpenAI's words where they are meant."""
    finish = parse_text(found)
    word = finish.lower().removeprefix("finish_reason_")
    return next((name for name, others in FINISH.items() if word in others), finish)


def _judge_message(
    message: dict[str, Any], reply: Reply, usage: Usage | None, prompt: int
) -> CallOutcome:
    """What follows from a message; `reply` is what is known of the answer besides its text."""
    text = parse_text(message.get("content"))
    thoughts = parse_reasoning(message)
    refusal = parse_text(message.get("refusal"))
    if usage is None or not usage.tokens_out:
        read = usage.tokens_in if usage else prompt
        usage = Usage(read, count_tokens(text + thoughts + refusal))
    if reply.finish == "content_filter" or (refusal and not text):
        text = text or refusal or "the answer was filtered out"
        reply = replace(reply, text=text, finish="content_filter")
        return CallOutcome("slot_fail", shorten(text), reply, usage, billed="yes")
    if not text.strip() and "def " in thoughts:
        text = thoughts  # a server that takes the whole answer for reasoning
    if text.strip() or reply.finish == "length":
        return CallOutcome("ok", "", replace(reply, text=text), usage, billed="yes")
    reason = _tell_empty(message, thoughts, reply.finish)
    reply = replace(reply, text=reason, finish="content_filter")
    return CallOutcome("retry", reason, reply, usage, billed="yes", misfit=reason)


def _tell_empty(message: dict[str, Any], thoughts: str, finish: str) -> str:
    """What came in place of text; the same for answers of the same kind."""
    found = "only reasoning" if thoughts else ""
    if message.get("tool_calls") or message.get("function_call"):
        found = "a call of a tool"
    elif not found and message.get("content"):
        found = f"content of a kind that is not text ({type(message['content']).__name__})"
    ended = "" if finish == "stop" else f" (finish reason {finish})"
    return shorten(f"the answer holds no text but {found or 'nothing at all'}{ended}")
