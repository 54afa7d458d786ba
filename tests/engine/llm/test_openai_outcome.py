"""The judgement of one attempt, without any network."""

from __future__ import annotations

import json
from collections.abc import Mapping

import httpx2
import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.text.plain_text import clean
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
        *((status, "retry") for status in (409, 425, 429, 503, 529)),
        *((status, "retry, maybe paid") for status in (408, 500, 502, 504, 524)),
        *((status, "slot_fail") for status in (400, 413, 422)),
        *((status, "pause") for status in (301, 401, 402, 403, 404, 405, 410, 418, 451)),
    ],
)
def test_every_status_has_its_kind(status: int, kind: str) -> None:
    outcome = judge(error(status))
    kind, _, unsure = kind.partition(", ")
    assert (outcome.kind, outcome.billed) == (kind, "maybe" if unsure else "no")
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


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("'max_tokens' is too large: the model's context length is 4096 tokens", "more tokens"),
        ("maximum context length is 4,096 tokens. However, you requested 6000", "at least 6,000"),
        ("the request exceeds the available context size, try increasing it", "more tokens"),
        ("The input token count (70000) exceeds the maximum of 32768", "at least 70,000 tokens"),
        ("prompt is too long: 210000 tokens > 200000 maximum", "at least 210,000 tokens"),
    ],
)
def test_a_context_that_is_too_small_pauses_and_says_what_is_needed(
    message: str, told: str
) -> None:
    outcome = judge(error(400, message), ("max_tokens",))
    assert (outcome.kind, outcome.billed, outcome.parameter) == ("pause", "no", "")
    assert f"the model's context is too small: give it {told}" in outcome.reason


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
    assert parse_text([{"text": "a"}, {"image": 1}, "b", {"text": None}, {"text": "c"}]) == "abc"
    assert parse_text({"text": "a"}) == "a"
    assert parse_text([{"type": "reasoning", "text": "hm"}, {"text": "a"}]) == "a"
    assert parse_text(7) == parse_text(None) == ""
    assert parse_usage({"usage": {"prompt_tokens": 3, "completion_tokens": 4}}) == Usage(3, 4)
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


NONSENSE = [-1, 10**30, "12", 1.5, 1e300, True, None, [3]]


@pytest.mark.parametrize("tokens", NONSENSE)
def test_numbers_of_tokens_that_cannot_be_are_not_believed(tokens: object) -> None:
    usage = {"prompt_tokens": tokens, "completion_tokens": 3}
    assert parse_usage({"usage": usage}, prompt=7) == Usage(7, 3)
    assert parse_usage({"usage": {"prompt_tokens": 3, "completion_tokens": tokens}}) is None


INSIDE = {"reasoning_tokens": 800}
OUTSIDE = {"reasoning_tokens": 20_000}


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 1000, "completion_tokens": 1000, "total_tokens": 2000}, (1000, 1000)),
        (
            {"prompt_tokens": 1000, "completion_tokens": 200, "total_tokens": 21_200},
            (1000, 20_200),
        ),
        (
            {
                "prompt_tokens": 1000,
                "completion_tokens": 1000,
                "completion_tokens_details": INSIDE,
            },
            (1000, 1000),
        ),
        (
            {
                "prompt_tokens": 1000,
                "completion_tokens": 200,
                "completion_tokens_details": OUTSIDE,
            },
            (1000, 20_200),
        ),
        ({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, (7, 0)),
        ({"total_tokens": 21_200}, (0, 21_200)),
        ({"input_tokens": 500, "output_tokens": 90, "cache_read_input_tokens": 40}, (540, 90)),
        ({"prompt_tokens": 500, "completion_tokens": 60_000}, (500, 60_000)),
        ({"prompt_tokens": -1000, "completion_tokens": -1_000_000}, None),
        ({"prompt_tokens": 10**12, "completion_tokens": 10**12}, None),
        ({"prompt_tokens": 1000.5, "completion_tokens": 1e300}, None),
        ({}, None),
        (None, None),
    ],
)
def test_usage_is_the_largest_that_its_fields_say(
    usage: object, expected: tuple[int, int] | None
) -> None:
    found = parse_usage({"usage": usage}, prompt=7)
    assert found == (None if expected is None else Usage(*expected))


def test_text_that_no_usage_counts_is_estimated_with_the_reasoning_before_it() -> None:
    message = {"content": "abcabc", "reasoning_content": "hmm"}
    for usage in (None, {"prompt_tokens": 0, "completion_tokens": 0}):
        body = json.dumps({"choices": [{"message": message}], "usage": usage})
        assert judge(HttpAnswer(200, body), prompt=7).usage == Usage(7, 3)


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


def answer(choice: Mapping[str, object], **more: object) -> HttpAnswer:
    """A completion of one choice."""
    return HttpAnswer(200, json.dumps({"choices": [choice], **more}))


@pytest.mark.parametrize(
    ("message", "finish", "told"),
    [
        ({"content": None, "reasoning_content": "Let me think."}, "stop", "only reasoning"),
        ({"content": None, "tool_calls": [{"id": "c"}]}, "tool_calls", "a call of a tool"),
        ({"content": [{"type": "image"}]}, "stop", "content of a kind that is not text (list)"),
        ({"content": ""}, "error", "nothing at all (finish reason error)"),
        ({}, "stop", "nothing at all"),
    ],
)
def test_an_answer_without_text_says_what_came_in_its_place(
    message: dict[str, object], finish: str, told: str
) -> None:
    outcome = judge(answer({"message": message, "finish_reason": finish}))
    assert outcome.kind == "retry" and outcome.misfit
    assert outcome.reason.startswith(f"the answer holds no text but {told}")
    assert outcome.reply is not None and outcome.reply.text == outcome.reason


def test_a_program_that_was_taken_for_reasoning_is_read() -> None:
    outcome = judge(answer({"message": {"content": None, "reasoning_content": "def f(): ..."}}))
    assert outcome.kind == "ok"
    assert outcome.reply is not None and outcome.reply.text == "def f(): ..."


@pytest.mark.parametrize(
    ("code", "kind", "advice"), [(402, "pause", "the account is empty"), (502, "retry", "")]
)
def test_an_error_inside_the_choice_is_judged_like_that_of_a_response(
    code: int, kind: str, advice: str
) -> None:
    error = {"code": code, "message": "Upstream is unwell"}
    choice = {"message": {"content": ""}, "finish_reason": "error", "error": error}
    outcome = judge(answer(choice, usage={"prompt_tokens": 3, "completion_tokens": 4}))
    assert (outcome.kind, outcome.billed, outcome.usage) == (kind, "yes", Usage(3, 4))
    assert f"HTTP {code}: Upstream is unwell" in outcome.reason and advice in outcome.reason


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        *((said, "length") for said in ("MAX_TOKENS", "FINISH_REASON_MAX_TOKENS", "model_length")),
        *((said, "content_filter") for said in ("SAFETY", "refusal", "RECITATION")),
        *((said, "stop") for said in ("STOP", "end_turn", "eos", None)),
        ("tool_calls", "tool_calls"),
    ],
)
def test_finish_reasons_are_read_in_other_spellings(said: str | None, meant: str) -> None:
    reply = judge(answer({"message": {"content": "a"}, "finish_reason": said})).reply
    assert reply is not None and reply.finish == meant


def test_a_byte_order_mark_and_an_event_stream_are_read() -> None:
    marked = HttpAnswer(200, "\ufeff" + answer({"message": {"content": "a"}}).body)
    assert judge(marked).kind == "ok"
    pieces = [
        {"model": "m", "choices": [{"delta": {"role": "assistant", "content": "a"}}]},
        {"choices": [{"delta": {"content": "b"}, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}},
    ]
    events = [f"data: {json.dumps(piece)}\n\n" for piece in pieces]
    outcome = judge(HttpAnswer(200, "".join(events)))
    assert outcome.reply is not None
    assert (outcome.reply.text, outcome.reply.model, outcome.usage) == ("ab", "m", Usage(3, 4))
    cut = judge(HttpAnswer(200, events[0]))
    assert (cut.kind, cut.billed) == ("retry", "maybe")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("", "nothing (HTTP 200)"),
        ("<html>log in</html>", "a page, which begins: <html>log in"),
        ('{"model": "m", "message": {"content": "a"}}', "an object of message, model"),
        (
            '{"choices": [{"text": "a"}]}',
            'an object of choices, which begins: {"choices": [{"text',
        ),
    ],
)
def test_another_protocol_is_named_with_its_first_words(body: str, told: str) -> None:
    outcome = judge(HttpAnswer(200, body))
    assert (outcome.kind, outcome.billed) == ("retry", "maybe")
    assert outcome.misfit
    assert f"what came is no chat completion but {told}" in outcome.reason


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(("choices", "message", "content", "usage", "error", "delta", "code")),
            inner,
            max_size=3,
        )
    ),
    max_leaves=9,
)


@settings(max_examples=60, deadline=None)
@given(st.integers(200, 599), JSON, st.sampled_from(("", "data: ", "\ufeff")), st.booleans())
def test_whatever_comes_is_judged_in_plain_words(
    status: int, document: object, before: str, whole: bool
) -> None:
    body = before + json.dumps(document)
    outcome = judge(HttpAnswer(status, body if whole else body[:-1]), ("max_tokens",), 7)
    assert clean(outcome.reason) == outcome.reason
    assert outcome.usage is None or min(outcome.usage.tokens_in, outcome.usage.tokens_out) >= 0
    assert outcome.kind in ("ok", "retry", "slot_fail", "pause")
