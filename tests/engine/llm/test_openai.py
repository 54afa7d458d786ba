"""The client against a provider that fails in every way: what comes of it, how soon, how often."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import pytest

import problems
from engine.domain.specs.endpoint import Endpoint
from engine.domain.values import Message, Program, Reply, Request, Usage
from engine.llm.base import Metered, ParameterRefused, ProviderDown
from engine.llm.openai.client import LanguageModel, RetryPolicy
from engine.llm.openai.limiter import Limiter, shared_limiter
from engine.llm.openai.quoter import LIMITS, OUTPUT, Quoter
from engine.llm.openai.secret import Secret
from engine.search.reply_parser import parse_reply
from problems.errors import WriterUnavailable
from tests.engine.llm.faults import FAULTS, SLOW, error, first, say, serve_faults
from tests.engine.llm.provider import KEY, Call, Provider, serve

CONTRACT = problems.load("tests/toy").contract
QUESTION = Request("program", "s", (Message("user", "Write score(item, state)."),), ())
PARAMETERS = (("max_tokens", "500"), ("temperature", "0.7"))
RETRIES = RetryPolicy(first=0.01)
FOR_EVER = RetryPolicy(first=1e6, longest=1e6)
"""Pauses by chance would take days: only a wish of the provider ends them sooner."""


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    """All faults; the tests of this file share one server and never a path."""
    with serve_faults() as running:
        yield running


def model(
    url: str, seconds: float = 20.0, retries: RetryPolicy = RETRIES, **changes: object
) -> LanguageModel:
    """A client with the canary key; `seconds` for one attempt, two and a half times for all."""
    endpoint = Endpoint(
        "mine",
        "fake",
        url,
        "MY_KEY",
        PARAMETERS,
        attempt_seconds=seconds,
        call_seconds=2.5 * seconds,
    )
    return LanguageModel(
        replace(endpoint, **changes),  # type: ignore[arg-type]
        {"MY_KEY": Secret(KEY)},
        4,
        retries,
    )


def ask(writer: LanguageModel, request: Request = QUESTION) -> Reply | WriterUnavailable:
    """The reply, or the error that came instead."""
    try:
        return asyncio.run(writer.complete(request))
    except WriterUnavailable as error:
        return error


def describe(result: Reply | WriterUnavailable) -> str:
    """A result in the words of `faults.Designed`; a retry shows in the number of requests."""
    if isinstance(result, WriterUnavailable):
        return "down" if isinstance(result, ProviderDown) else "stops"
    return "refuses" if result.finish == "content_filter" else "answers"


@pytest.mark.parametrize("name", [name for name in FAULTS if name not in SLOW])
def test_every_fault_has_its_outcome(provider: Provider, name: str) -> None:
    result = ask(model(provider.url(name)))
    shown = {"retries": "answers", "empty": "refuses", "misfits": "stops"}
    designed = shown.get(FAULTS[name].designed, FAULTS[name].designed)
    assert (describe(result), provider.count(name)) == (designed, FAULTS[name].requests)
    assert KEY not in f"{result!r} {result}"


@pytest.mark.parametrize("name", SLOW)
def test_a_server_that_never_ends_is_given_up_in_time(provider: Provider, name: str) -> None:
    began = time.monotonic()
    result = ask(model(provider.url(name), seconds=0.3, call_seconds=0.5))
    assert isinstance(result, ProviderDown)
    assert "no answer in time" in str(result)
    assert result.billed == "maybe"
    assert provider.count(name) <= FAULTS[name].requests
    assert time.monotonic() - began < 5  # 0.5 s by design, the rest for a busy machine


def test_an_address_at_which_nothing_answers_is_named_before_anything_is_asked() -> None:
    with serve_faults() as gone:
        url = gone.url("fine")
    with pytest.raises(WriterUnavailable, match=f"mine at {url}: nothing answers there"):
        asyncio.run(model(url).refuse_unusable())


def test_a_key_that_is_not_accepted_is_refused_without_a_paid_request(provider: Provider) -> None:
    with pytest.raises(WriterUnavailable, match=r"Incorrect API key.*the key is not accepted"):
        asyncio.run(model(provider.url("locked")).refuse_unusable())
    assert provider.count("locked") == 0


def test_a_key_that_may_not_list_models_passes(provider: Provider) -> None:
    asyncio.run(model(provider.url("unlisted")).refuse_unusable())
    asyncio.run(model(provider.url("fine-and-listed")).refuse_unusable())


def test_a_closed_port_is_down_and_surely_unpaid() -> None:
    with serve_faults() as gone:
        url = gone.url("fine")
    result = ask(model(url))
    assert isinstance(result, ProviderDown)
    assert result.billed == "no"


def test_a_long_wish_to_wait_is_passed_on(provider: Provider) -> None:
    result = ask(model(provider.url("busy-for-long").replace("/v1", "/again/v1")))
    assert isinstance(result, ProviderDown)
    assert result.wait == 300


def test_a_repair_that_no_context_holds_costs_its_slot_and_does_not_stop_the_run() -> None:
    with serve_faults() as provider:
        result = ask(model(provider.url("context-too-long")), replace(QUESTION, role="repair"))
    assert describe(result) == "refuses"
    assert isinstance(result, Reply)
    assert "maximum context length is 10 tokens" in result.text
    assert result.usage.tokens_in == 0


def test_a_short_wish_to_wait_is_obeyed() -> None:
    with serve_faults() as provider:
        result = ask(model(provider.url("overloaded-for-a-moment"), retries=FOR_EVER))
    assert describe(result) == "answers"


def test_no_pause_is_begun_that_outlasts_the_deadline() -> None:
    with serve_faults() as provider:
        result = ask(model(provider.url("internal-error"), retries=FOR_EVER))
    assert describe(result) == "down"
    assert provider.count("internal-error") == 1


def test_a_complaint_narrows_the_lanes_of_all_writers() -> None:
    async def width_after(url: str) -> int:
        await model(url).complete(QUESTION)
        return shared_limiter(4).width

    with serve_faults() as provider:
        assert asyncio.run(width_after(provider.url("busy-for-a-moment"))) == 2
        assert asyncio.run(width_after(provider.url("overloaded-for-a-moment"))) == 4


def test_a_key_in_an_answer_is_erased_from_text_and_body() -> None:
    def echo(call: Call) -> None:
        call.answer(message={"content": f"Is {KEY} yours?"}, model=KEY)

    with serve({"echo": echo}) as provider:
        result = ask(model(provider.url("echo")))
    assert isinstance(result, Reply)
    assert result.text == "Is [key removed] yours?"
    assert KEY not in result.raw + result.model


def test_the_request_carries_model_parameters_key_and_headers_unchanged() -> None:
    seen: list[Call] = []

    def look(call: Call) -> None:
        seen.append(call)
        call.answer()

    with serve({"look": look}) as provider:
        writer = model(
            provider.url("look"),
            system="Be brief.",
            headers=(("X-Team", "blue"), ("X-Api-Key", "$MY_KEY")),
            parameters=(("reasoning_effort", '"low"'), ("chat_template", '{"think": false}')),
        )
        ask(writer)
    assert seen[0].body == {
        "model": "fake",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Write score(item, state)."},
        ],
        "reasoning_effort": "low",
        "chat_template": {"think": False},
    }
    headers = seen[0].headers
    assert headers["authorization"] == f"Bearer {KEY}"
    assert (headers["x-team"], headers["x-api-key"]) == ("blue", KEY)


def test_a_repair_may_be_twice_as_long() -> None:
    with serve_faults() as provider:
        ask(model(provider.url("cut-off")), replace(QUESTION, role="repair"))
        (_, body), *_ = provider.asked
    assert (body["max_tokens"], body["temperature"]) == (1000, 0.7)


def test_text_survives_parts_surrogates_and_missing_finish_reasons() -> None:
    with serve_faults() as provider:
        for name in ("content-in-parts", "lone-surrogate", "finish-reason-null"):
            result = ask(model(provider.url(name)))
            assert isinstance(result, Reply)
            assert result.text.encode("utf-8")
            assert isinstance(parse_reply(result.text, CONTRACT, result.finish), Program)


def test_a_cut_off_answer_says_so() -> None:
    with serve_faults() as provider:
        for name in ("cut-off", "cut-off-while-thinking"):
            result = ask(model(provider.url(name)))
            assert isinstance(result, Reply)
            assert result.finish == "length"


@dataclass
class Metering:
    """A meter that writes down what it hears."""

    capped: bool = True
    largest: int = 0
    quotes: list[Usage] = field(default_factory=list)
    failed: list[tuple[str, Usage | None]] = field(default_factory=list)

    async def begin(self, quote: Callable[[], Usage]) -> None:
        """An attempt leaves."""
        self.quotes.append(quote())

    def fail(self, error: str, billed: str, used: Usage | None) -> None:
        """It came to nothing."""
        self.failed.append((billed, used))


def meter(name: str, metering: Metering) -> Reply | WriterUnavailable:
    """What comes of one request to a fault, with its attempts metered; 1 and 10 $ a million."""
    with serve_faults() as provider:
        writer = model(provider.url(name), price_in=1.0, price_out=10.0)
        try:
            return asyncio.run(writer.complete_metered(QUESTION, metering))
        except WriterUnavailable as error:
            return error


def test_every_attempt_is_metered_before_it_leaves_and_known_by_what_it_used() -> None:
    paid = Usage(100, 20, 0.0003)
    once = Metering()
    fine = meter("fine", once)
    assert isinstance(fine, Reply) and fine.usage == paid
    assert (once.quotes, once.failed) == ([Usage(9, 500, 0.005009)], [])
    twice = Metering()
    retried = meter("empty-for-a-moment", twice)
    assert isinstance(retried, Reply) and retried.usage == paid
    assert (len(twice.quotes), twice.failed) == (2, [("yes", paid)])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("choices-null", [("yes", Usage(100, 20, 0.0003))] * 4),
        ("page-called-json", [("maybe", None)] * 4),
        ("internal-error", [("maybe", None)] * 4),
        ("end-inside-body", [("maybe", None)] * 4),
        ("busy", [("no", Usage(0, 0, 0.0))] * 4),
        ("maintenance-page", [("no", Usage(0, 0, 0.0))] * 4),
    ],
)
def test_a_failure_is_known_unpaid_or_counts_as_all_that_was_quoted(
    name: str, expected: list[tuple[str, Usage | None]]
) -> None:
    metering = Metering()
    assert isinstance(meter(name, metering), WriterUnavailable)
    assert metering.failed == expected


def sent_limits(metering: Metering, url: str) -> list[dict[str, int]]:
    """The limits in the bodies of the requests for one answer."""
    seen: list[dict[str, int]] = []

    def act(call: Call) -> None:
        found = {name: call.body[name] for name in LIMITS if name in call.body}
        seen.append(found)
        allowed = {"takes-1000": 1000, "knows-neither": -1}.get(url, 10**6)
        if url == "takes-the-other" and "max_tokens" in found:
            call.error(400, "Unsupported parameter: 'max_tokens'", param="max_tokens")
        elif any(limit > allowed for limit in found.values()):
            call.error(400, f"max_tokens is too large: it supports at most {allowed} tokens")
        else:
            call.answer()

    with serve({url: act}) as provider:
        writer = model(provider.url(url), parameters=())
        assert isinstance(asyncio.run(writer.complete_metered(QUESTION, metering)), Reply)
        assert isinstance(asyncio.run(writer.complete_metered(QUESTION, metering)), Reply)
    return seen


def test_under_a_cap_the_limit_that_is_quoted_is_sent() -> None:
    assert sent_limits(Metering(), "any") == [{"max_tokens": OUTPUT}] * 2
    assert sent_limits(Metering(capped=False), "any") == [{}] * 2
    grown = Metering(largest=5000)
    assert sent_limits(grown, "any") == [{"max_tokens": 8192}] * 2
    assert [quote.tokens_out for quote in grown.quotes] == [8192] * 2


def test_a_provider_that_refuses_the_limit_gets_another_a_lower_one_or_none() -> None:
    other = [{"max_tokens": OUTPUT}, *[{"max_completion_tokens": OUTPUT}] * 2]
    assert sent_limits(Metering(), "takes-the-other") == other
    lower = [{"max_tokens": OUTPUT}, *[{"max_tokens": 1000}] * 2]
    assert sent_limits(Metering(), "takes-1000") == lower
    none = [{"max_tokens": OUTPUT}, {"max_completion_tokens": OUTPUT}, {}, {}]
    assert sent_limits(Metering(), "knows-neither") == none


def test_an_answer_longer_than_quoted_raises_the_next_quote() -> None:
    writer = Quoter(model("https://api.example.com/v1", parameters=()).endpoint)
    lengths = [writer.quote(QUESTION, n).tokens_out for n in (0, 4095, 4096, 60_000, 70_000)]
    assert lengths == [4096, 4096, 8192, 65_536, 70_000]
    limited = Quoter(model("https://api.example.com/v1").endpoint)
    assert [limited.quote(QUESTION, n).tokens_out for n in (0, 1000, 1001)] == [500, 500, 1001]


def test_what_a_provider_counts_of_a_prompt_beyond_the_estimate_is_quoted_next() -> None:
    with serve_faults() as provider:
        writer = model(provider.url("fine"))
        before = writer.quote(QUESTION).tokens_in
        ask(writer)
        assert (before, writer.quote(QUESTION).tokens_in) == (9, 100)


@pytest.mark.parametrize("name", ["usage-absent", "usage-nonsense"])
def test_tokens_that_nobody_counted_are_estimated(name: str) -> None:
    with serve_faults() as provider:
        writer = model(provider.url(name))
        result = ask(writer)
    assert isinstance(result, Reply)
    assert result.usage.tokens_in == writer.quote(QUESTION).tokens_in > 0
    assert result.usage.tokens_out == -(-len(result.text) // 3)


def test_a_quote_is_prompt_and_limit_at_the_known_price() -> None:
    writer = model("https://api.example.com/v1", price_in=2.0, price_out=8.0)
    assert isinstance(writer, Metered)
    assert writer.quote(QUESTION) == Usage(9, 500, (9 * 2 + 500 * 8) / 1e6)
    unlimited = model("https://api.example.com/v1", parameters=())
    assert unlimited.quote(QUESTION) == Usage(9, OUTPUT, None)


def test_a_model_on_this_machine_is_reached_past_the_proxies_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, proxy in (("HTTP_PROXY", "http://127.0.0.1:9"), ("ALL_PROXY", "socks5://[::1]:9")):
        monkeypatch.setenv(name, proxy)
    monkeypatch.setenv("SSL_CERT_FILE", "/nonexistent")
    with serve_faults() as provider:
        assert describe(ask(model(provider.url("fine")))) == "answers"
        asyncio.run(model(provider.url("fine")).refuse_unusable())


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("ALL_PROXY", "socks5://127.0.0.1:9", "cannot be used: Using SOCKS proxy"),
        ("HTTPS_PROXY", "nonsense://127.0.0.1:9", "cannot be used"),
        ("SSL_CERT_FILE", "/nonexistent", "cannot be used"),
        ("HTTPS_PROXY", "http://127.0.0.1:9", "by way of the proxy http://127.0.0.1:9"),
    ],
)
def test_an_environment_that_keeps_from_a_provider_is_one_line(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, told: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(WriterUnavailable, match=told) as refused:
        asyncio.run(model("https://models.example.com/v1").refuse_unusable())
    assert "\n" not in str(refused.value)


def test_what_the_environment_says_of_an_account_is_sent_to_openai_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "two\nlines")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Account: 7")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "admin")
    seen: list[Call] = []

    def look(call: Call) -> None:
        seen.append(call)
        call.answer()

    with serve({"look": look}) as provider:
        ask(model(provider.url("look")))
    sent = seen[0].headers
    assert not {"openai-organization", "openai-project", "x-account"} & set(sent)
    assert sent["authorization"] == f"Bearer {KEY}"
    with pytest.raises(WriterUnavailable, match="OPENAI_PROJECT_ID holds more than a name"):
        asyncio.run(model("https://api.openai.com/v1").refuse_unusable())


def test_a_key_that_was_copied_with_its_scheme_is_sent_once() -> None:
    seen: list[str] = []

    def look(call: Call) -> None:
        seen.append(call.headers["authorization"])
        call.answer()

    with serve({"look": look}) as provider:
        endpoint = model(provider.url("look")).endpoint
        writer = LanguageModel(endpoint, {"MY_KEY": Secret(f"Bearer {KEY}")}, 4, RETRIES)
        ask(writer)
    assert seen == [f"Bearer {KEY}"]


def test_a_model_without_its_key_does_not_open() -> None:
    with pytest.raises(WriterUnavailable, match="MY_KEY did not reach the engine"):
        LanguageModel(Endpoint("mine", "fake", api_key_env="MY_KEY"), {}, 4)


def test_a_refused_parameter_is_named() -> None:
    with serve_faults() as provider:
        for name in ("parameter-refused", "parameter-refused-in-detail"):
            result = ask(model(provider.url(name)))
            assert isinstance(result, ParameterRefused)
            assert result.parameter == "temperature"


def test_a_reason_says_what_to_do_next() -> None:
    with serve_faults() as provider:
        reasons = {name: str(ask(model(provider.url(name)))) for name in FAULTS if "key" in name}
    assert "check the variable that holds it" in reasons["bad-key"]
    assert "[key removed]" in reasons["bad-key-repeated"]


def test_a_last_failure_is_told_with_those_of_another_kind_before_it() -> None:
    faults = {"odd": first(say(""), error(500, "internal error"))}
    with serve(faults) as provider:
        told = str(ask(model(provider.url("odd"))))
    assert "HTTP 500: internal error (before that: the answer holds no text" in told
    assert told.count("internal error") == 1


def test_too_many_requests_halve_the_lanes_and_twenty_good_answers_add_one() -> None:
    limiter = Limiter(8)
    limiter.narrow()
    assert limiter.width == 4
    for _ in range(19):
        limiter.widen()
    assert limiter.width == 4
    limiter.widen()
    assert limiter.width == 5
    for _ in range(9):
        limiter.narrow()
    assert limiter.width == 1
    for _ in range(20 * 20):
        limiter.widen()
    assert limiter.width == 8


def test_no_more_requests_are_under_way_than_lanes() -> None:
    async def most_at_once(width: int, tasks: int) -> int:
        limiter, inside, most = Limiter(width), 0, 0

        async def enter() -> None:
            nonlocal inside, most
            async with limiter:
                inside += 1
                most = max(most, inside)
                await asyncio.sleep(0)
                inside -= 1

        await asyncio.gather(*(enter() for _ in range(tasks)))
        return most

    assert asyncio.run(most_at_once(3, 20)) == 3


def test_a_reply_that_is_not_read_to_its_end_is_booked_as_all_that_was_set_aside(
    provider: Provider,
) -> None:
    writer = model(provider.url("endless"))
    reply = ask(writer)
    assert isinstance(reply, Reply)
    assert "longer than 8 MB" in reply.text
    assert reply.usage.tokens_out == 500 and reply.usage.tokens_in > 0
