"""The judgement of one attempt, without any network."""

from __future__ import annotations

import json

import httpx2
import openai
import pytest

from engine.domain.values import Usage
from engine.llm.openai.body import (
    count_tokens,
    parse_error,
    parse_retry_after,
    parse_text,
    parse_usage,
)
from engine.llm.openai.judge import HttpAnswer, judge

REQUEST = httpx2.Request("POST", "http://127.0.0.1/v1/chat/completions")


def error(status: int, message: str = "no", **fields: object) -> HttpAnswer:
    """An error response in OpenAI's shape."""
    return HttpAnswer(status, json.dumps({"error": {"message": message, **fields}}))


def connection_error(cause: Exception) -> openai.APIConnectionError:
    """What the SDK raises, with what lies behind it."""
    wrapped = openai.APIConnectionError(request=REQUEST)
    wrapped.__cause__ = cause
    return wrapped


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        *((status, "retry") for status in (408, 409, 425, 429, 500, 502, 503, 504, 529)),
        *((status, "slot_fail") for status in (400, 413, 422)),
        *((status, "pause") for status in (301, 401, 402, 403, 404, 405, 410, 418, 451)),
    ],
)
def test_every_status_has_its_kind(status: int, kind: str) -> None:
    outcome = judge(error(status))
    assert (outcome.kind, outcome.billed) == (kind, "no")
    assert f"HTTP {status}: no" in outcome.reason


def test_a_wish_of_two_minutes_is_waited_for_and_a_longer_one_pauses() -> None:
    assert judge(HttpAnswer(503, "", "120")).kind == "retry"
    longer = judge(HttpAnswer(503, "", "121"))
    assert (longer.kind, longer.wait) == ("pause", 121)


def test_only_too_many_requests_make_it_crowded() -> None:
    assert judge(error(429)).crowded
    assert not judge(error(503)).crowded


def test_a_spent_quota_needs_a_person_whatever_the_status_and_the_header() -> None:
    for status in (400, 403, 429):
        outcome = judge(HttpAnswer(status, error(status, code="insufficient_quota").body, "5"))
        assert (outcome.kind, outcome.wait) == ("pause", 0)


@pytest.mark.parametrize(
    ("message", "param"),
    [
        ("Unsupported parameter: 'top_k' is not supported with this model.", None),
        ("no", "top_k"),
        ("unknown param: top_k", None),
        ("[{'type': 'extra_forbidden', 'loc': ('body', 'top_k')}]", None),
    ],
)
def test_a_parameter_is_refused_to_all_requests_alike(message: str, param: str | None) -> None:
    outcome = judge(error(400, message, param=param), ("seed", "top_k"))
    assert (outcome.kind, outcome.parameter) == ("pause", "top_k")
    assert judge(error(400, message, param=param), ("seed",)).kind == "slot_fail"


def test_a_prompt_that_is_too_long_ends_its_slot_even_if_it_names_a_parameter() -> None:
    message = "'max_tokens' is too large: the model's context length is 4096 tokens"
    assert judge(error(400, message), ("max_tokens",)).kind == "slot_fail"


def test_what_never_left_is_surely_unpaid_and_all_other_breaks_may_be_paid() -> None:
    assert judge(connection_error(httpx2.ConnectError("refused"))).billed == "no"
    assert judge(connection_error(httpx2.RemoteProtocolError("cut"))).billed == "maybe"
    assert judge(openai.APITimeoutError(REQUEST)).billed == "maybe"
    assert judge(TimeoutError()).kind == "retry"


def test_what_nobody_foresaw_is_a_bug() -> None:
    outcome = judge(ZeroDivisionError("what"))
    assert (outcome.kind, outcome.reason) == ("bug", "unexpected ZeroDivisionError: what")


def test_a_refusal_is_told_in_the_model_s_words() -> None:
    message = {"content": None, "refusal": "I would rather not."}
    outcome = judge(HttpAnswer(200, json.dumps({"choices": [{"message": message}]})))
    assert outcome.kind == "slot_fail"
    assert outcome.reply is not None
    assert (outcome.reply.text, outcome.reply.finish) == ("I would rather not.", "content_filter")


def test_an_error_is_read_in_every_shape() -> None:
    assert parse_error('{"error": {"message": "a", "code": 7}}').code == "7"
    assert parse_error('{"error": "a"}').message == "a"
    assert parse_error('{"message": "a", "type": "t"}').kind == "t"
    assert parse_error('{"detail": [{"loc": ["x"]}]}').message == "[{'loc': ['x']}]"
    assert parse_error("<html>\n a</html>").message == "<html> a</html>"
    assert parse_error("[" * 100_000).code == ""
    assert len(parse_error("x" * 1000).message) == 300


def test_text_and_usage_are_read_or_left() -> None:
    assert parse_text([{"text": "a"}, {"image": 1}, "b", {"text": None}, {"text": "c"}]) == "ac"
    assert parse_text(7) == parse_text(None) == ""
    assert parse_usage({"usage": {"prompt_tokens": 3, "completion_tokens": 4}}) == Usage(3, 4)
    assert parse_usage({"usage": {"prompt_tokens": 1.5, "completion_tokens": 2}}) is None
    assert parse_usage({"usage": 3}) is None
    assert parse_usage("usage") is None


def test_a_wish_to_wait_is_read_as_seconds_or_a_date() -> None:
    assert parse_retry_after("2.5") == 2.5
    assert parse_retry_after("Wed, 21 Oct 2015 07:28:10 GMT", now=1445412480.0) == 10
    assert parse_retry_after("Wed, 21 Oct 2015 07:28:10 GMT", now=1445412999.0) == 0
    assert [parse_retry_after(h) for h in ("", "soon", "-3", "nan")] == [0, 0, 0, 0]
    assert parse_retry_after("inf") == parse_retry_after("1e9") == 86400


def test_tokens_are_estimated_from_above() -> None:
    assert [count_tokens(text) for text in ("", "a", "abc", "abcd", "\u4e2d")] == [0, 1, 1, 2, 1]


@pytest.mark.parametrize("tokens", [-1, 10**30, "12", 1.5, 1e300, True, None, [3]])
def test_numbers_of_tokens_that_cannot_be_are_not_believed(tokens: object) -> None:
    usage = {"prompt_tokens": tokens, "completion_tokens": 3}
    assert parse_usage({"usage": usage}) is None


def test_a_whole_number_of_tokens_may_be_written_as_a_fraction() -> None:
    usage = {"prompt_tokens": 12.0, "completion_tokens": 3}
    assert parse_usage({"usage": usage}) == Usage(12, 3)


def test_nothing_that_a_provider_sends_holds_half_a_character() -> None:
    half = "\ud800"
    choice = {"message": {"content": half}, "finish_reason": half}
    outcome = judge(HttpAnswer(200, json.dumps({"model": half, "choices": [choice]})))
    assert outcome.reply is not None
    reply = outcome.reply
    "".join([reply.text, reply.model, reply.finish, reply.raw]).encode()
    assert judge(error(500, half)).reason.encode() == b"HTTP 500: ?"


def test_what_a_terminal_would_obey_is_written_out() -> None:
    answer = error(400, "no \x1b]0;owned\x07\u202e")
    assert judge(answer).reason == "HTTP 400: no \\u001b]0;owned\\u0007\\u202e"
    reply = judge(answer).reply
    assert reply is not None and reply.raw == answer.body
