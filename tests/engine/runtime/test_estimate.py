"""What a run may cost is told from the prompts it would send, and capped at twice that."""

from __future__ import annotations

import pytest

import problems
from engine.domain.specs.endpoint import Endpoint
from engine.domain.specs.settings import Caps, Settings
from engine.domain.values import Usage
from engine.llm.openai.client import LanguageModel
from engine.llm.openai.secret import Secret
from engine.runtime.writers.estimate import (
    Estimate,
    default_caps,
    describe,
    estimate,
    first_operator,
    sample_request,
    seed_candidates,
)
from engine.search.methods.methods import METHODS, OURS
from engine.search.methods.operators import OPERATORS
from tests.scripted import Scripted

TOY = problems.load("tests/toy")
FREE = Scripted(TOY)


def paid(price_in: float | None = 1.0) -> LanguageModel:
    """A model at a dollar per million tokens in and ten out."""
    limit = (("max_tokens", "100"),)
    url = "https://a.example/v1"
    endpoint = Endpoint("m", "m", url, parameters=limit, price_in=price_in, price_out=10.0)
    return LanguageModel(endpoint, {"OPENAI_API_KEY": Secret("k")}, 4)


def test_ours_is_thirty_calls_each_with_room_for_a_whole_answer() -> None:
    model = paid()
    expected = estimate(TOY, OURS, Settings(), [model], model)
    assert expected.calls == 30
    assert expected.usage.tokens_out == 30 * 100
    first = model.quote(sample_request(TOY, OPERATORS["s"], seed_candidates(TOY))).tokens_in
    assert 25 * first < expected.usage.tokens_in < 30 * 6 * first
    usd = expected.usage.tokens_in * 1e-6 + 3000 * 1e-5
    assert expected.usage.usd == pytest.approx(usd)


def test_only_calls_to_language_models_count() -> None:
    assert estimate(TOY, OURS, Settings(), [paid()], FREE).calls == 25
    assert estimate(TOY, OURS, Settings(), [FREE], paid()).calls == 5
    nothing = estimate(TOY, OURS, Settings(), [FREE], FREE)
    assert (nothing.calls, nothing.usage, nothing.paid) == (0, Usage(usd=0.0), False)


def test_first_programs_are_priced_as_short_questions() -> None:
    model = paid()
    plain = estimate(TOY, OURS, Settings(), [model], FREE)
    expected = estimate(TOY, OURS, Settings(start="contract"), [model], FREE)
    assert (plain.calls, expected.calls) == (25, 35)
    first = model.quote(sample_request(TOY, OPERATORS["i1"], ()))
    assert expected.usage.tokens_in - plain.usage.tokens_in == 10 * first.tokens_in
    assert estimate(TOY, OURS, Settings(start="contract", calls=7), [model], FREE).calls == 7


@pytest.mark.parametrize("name", METHODS)
def test_every_method_can_be_estimated(name: str) -> None:
    settings = Settings(generations=2, children=3)
    expected = estimate(TOY, METHODS[name], settings, [paid()], paid())
    assert expected.calls >= 6


def test_an_unknown_price_stays_unknown() -> None:
    expected = estimate(TOY, OURS, Settings(), [paid()], paid(price_in=None))
    assert expected.usage.usd is None
    assert expected.paid
    caps = default_caps(Caps(), expected)
    assert (caps.calls, caps.usd) == (60, None)
    assert caps.tokens == 2 * (expected.usage.tokens_in + expected.usage.tokens_out)
    assert "price unknown" in describe(expected, caps)


def test_caps_that_were_asked_for_and_free_runs_are_left_alone() -> None:
    expected = Estimate(30, Usage(1000, 500, 0.25))
    assert default_caps(Caps(calls=7), expected) == Caps(calls=7)
    assert default_caps(Caps(), expected) == Caps(60, 3000, 0.5)
    assert default_caps(Caps(), Estimate(30, Usage(1000, 500, 0.0))) == Caps()


def test_the_estimate_reads_as_one_line() -> None:
    expected = Estimate(30, Usage(90_000, 30_000, 1.5))
    told = describe(expected, default_caps(Caps(), expected))
    assert told == (
        "30 calls, at most 120,000 tokens, at most $1.50; "
        "capped at 60 calls, 240,000 tokens, $3.00"
    )
    assert describe(expected, Caps()).endswith("; no cap")


def test_the_operators_that_a_user_chose_are_those_that_are_priced() -> None:
    step = OURS.steps[0]
    assert first_operator(step, Settings()) == "s"
    assert first_operator(step, Settings(operators="e1,m1")) == "e1"


@pytest.mark.parametrize(
    ("operator", "parents"), [("s", 1), ("m", 2), ("e1", 2), ("crossover", 2)]
)
def test_a_sample_shows_as_many_parents_as_its_operator_takes(operator: str, parents: int) -> None:
    for seeds in (seed_candidates(TOY), seed_candidates(TOY)[:1]):
        request = sample_request(TOY, OPERATORS[operator], seeds)
        assert request.messages[-1].content.count("```python\n") == parents
