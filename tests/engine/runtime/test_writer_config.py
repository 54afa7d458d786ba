"""Writers by name: what preceptor.toml may say, what is recorded, which keys are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.domain.specs.endpoint import OPENAI, Endpoint
from engine.domain.specs.settings import Caps, RunSpec
from engine.domain.text import codec
from engine.runtime.writers.writer_config import collect_keys, resolve_endpoints
from problems import ProblemRef
from problems.errors import UnknownName, UserError, WriterUnavailable

NEMO = """
[writers.nemo]
model = "mistral-nemo"
base_url = "https://models.example.com/v1"
api_key_env = "NEMO_KEY"
system = "Be brief."
price_in = 0.1
price_out = 0.3
attempt_seconds = 60

[writers.nemo.parameters]
temperature = 0.7
max_tokens = 2000
thinking = { budget = 100 }

[writers.nemo.headers]
X-Team = "$TEAM"
"""


def spec(writer: str, analyzer: str = "", caps: Caps | None = None) -> RunSpec:
    """A run with these writers."""
    return RunSpec(ProblemRef("toy"), writer=writer, analyzer=analyzer, caps=caps or Caps())


def toml(folder: Path, text: str) -> Path:
    """A settings file."""
    file = folder / "preceptor.toml"
    file.write_text(text)
    return file


def test_a_named_writer_is_recorded_whole_and_without_its_key(tmp_path: Path) -> None:
    furnished = resolve_endpoints(spec("nemo"), {"NEMO_KEY": "secret-key"}, toml(tmp_path, NEMO))
    assert furnished.endpoints == (
        Endpoint(
            "nemo",
            "mistral-nemo",
            "https://models.example.com/v1",
            "NEMO_KEY",
            (("max_tokens", "2000"), ("temperature", "0.7"), ("thinking", '{"budget": 100}')),
            (("X-Team", "$TEAM"),),
            "Be brief.",
            0.1,
            0.3,
            60.0,
        ),
    )
    text = codec.encode(furnished)
    assert "secret-key" not in text
    assert codec.decode(RunSpec, text) == furnished


def test_writer_and_analyzer_may_be_two_models_or_one(tmp_path: Path) -> None:
    file = toml(tmp_path, NEMO)
    two = resolve_endpoints(spec("nemo", "openai:gpt-4o-mini"), {}, file)
    assert [endpoint.name for endpoint in two.endpoints] == ["nemo", "openai:gpt-4o-mini"]
    assert len(resolve_endpoints(spec("nemo", "nemo"), {}, file).endpoints) == 1


def test_a_bare_model_goes_to_openai_or_to_the_address_in_the_environment(tmp_path: Path) -> None:
    missing = tmp_path / "none.toml"
    (plain,) = resolve_endpoints(spec("openai:gpt-4o-mini"), {}, missing).endpoints
    assert (plain.model, plain.base_url) == ("gpt-4o-mini", OPENAI)
    elsewhere = {"OPENAI_BASE_URL": "http://127.0.0.1:8000/v1"}
    (local,) = resolve_endpoints(spec("openai:llama3:8b"), elsewhere, missing).endpoints
    assert (local.model, local.base_url) == ("llama3:8b", "http://127.0.0.1:8000/v1")


@pytest.mark.parametrize("writer", ["builtin", "replay:3", "mine.py:Writer"])
def test_other_writers_have_no_endpoint_and_need_no_key(tmp_path: Path, writer: str) -> None:
    furnished = resolve_endpoints(spec(writer), {"OPENAI_API_KEY": "k"}, toml(tmp_path, NEMO))
    assert furnished.endpoints == ()
    assert collect_keys(furnished.endpoints, {"OPENAI_API_KEY": "k"}) == {}


def test_an_unknown_writer_is_told_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean 'nemo'"):
        resolve_endpoints(spec("nemp"), {}, toml(tmp_path, NEMO))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[writers.x]\nbase_url = 'http://a/v1'",
            r"x\]: .*missing required field `model`",
        ),
        ("[writers.x]\nmodel = 'm'\ntemperatur = 1", r"key of .*\[writers.x\] 'temperatur'"),
        ("[writers.x]\nmodel = 7", "model: Expected `str`, got `int`"),
        ("[writers.x]\nmodel = 'm'\nprice_in = '1'", "price_in: Expected `float"),
        ("[writers.x]\nmodel = 'm'\nprice_in = -1", "price_in: Expected `float` >= 0"),
        ("[writers.x]\nmodel = 'm'\nprice_in = inf", "price_in: Expected `float` <= "),
        ("[writers.x]\nmodel = 'm'\nprice_in = nan", "price_in: Expected `float` >= 0"),
        ("[writers.x]\nmodel = 'm'\nparameters = 3", "parameters: Expected table, got `int`"),
        ("[writers.x]\nmodel = 'm'\nparameters = { stream = true }", "stream is not yours"),
        ("[writers.x]\nmodel = 'm'\nattempt_seconds = 0", "timeouts must be above 0"),
        ("[writers.x]\nmodel = 'm'\nbase_url = 'models.example.com'", "no http address"),
        ("[writers.x]\nmodel = 'm'\nbase_url = 'http://me:pass@a/v1'", "holds a user"),
        ("[writers.x]\nmodel = 'm'\nbase_url = 'http://a/v1?api_key=3'", "or a query"),
        ("[writers.x]\nmodel = 'm'\nbase_url = 'http://a:b/v1'", "no http address"),
        (
            "[writers.x]\nmodel = 'm'\nbase_url = 'http://a/v1/chat/completions'",
            "ends in /chat/completions; leave that out",
        ),
        ("[writers.x]\nmodel = 'm'\nheaders = { api-key = 'abc' }", "looks like a secret"),
        ("writers = 3", "writers: Expected table, got `int`"),
        ("[writers]\nx = 3", r"writers\[...\]: Expected table, got `int`"),
        ("[writers.builtin]\nmodel = 'm'", "no table with a free name"),
        ("[writers", "preceptor.toml"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        resolve_endpoints(spec("x"), {}, toml(tmp_path, text))


def test_a_byte_order_mark_before_a_table_is_skipped(tmp_path: Path) -> None:
    assert resolve_endpoints(spec("nemo"), {}, toml(tmp_path, "\ufeff" + NEMO)).endpoints


@pytest.mark.parametrize("key", ["sk-\u201cabc", "sk-\nabc", "sk-\u0430bc"])
def test_a_key_that_no_header_holds_is_one_line_without_it(key: str) -> None:
    with pytest.raises(WriterUnavailable, match="OPENAI_API_KEY holds '") as raised:
        collect_keys([Endpoint("openai:gpt", "gpt")], {"OPENAI_API_KEY": key})
    assert "sk-" not in str(raised.value)


def test_keys_are_collected_by_the_variables_that_hold_them(tmp_path: Path) -> None:
    endpoints = resolve_endpoints(spec("nemo"), {}, toml(tmp_path, NEMO)).endpoints
    environment = {"NEMO_KEY": "k1\n", "TEAM": "blue", "OPENAI_API_KEY": "other"}
    assert collect_keys(endpoints, environment) == {"NEMO_KEY": "k1", "TEAM": "blue"}


@pytest.mark.parametrize("environment", [{}, {"OPENAI_API_KEY": ""}, {"OPENAI_API_KEY": " \n"}])
def test_a_missing_key_is_named_by_its_variable(environment: dict[str, str]) -> None:
    with pytest.raises(WriterUnavailable, match="OPENAI_API_KEY is not set") as raised:
        collect_keys([Endpoint("openai:gpt", "gpt")], environment)
    assert raised.value.exit_code == 3


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "127.9.9.9", "localhost:11434", "[::1]:80"])
def test_a_server_on_this_machine_is_given_no_key_unless_one_is_named(
    tmp_path: Path, host: str
) -> None:
    table = f"[writers.x]\nmodel = 'm'\nbase_url = 'http://{host}/v1'"
    (keyless,) = resolve_endpoints(spec("x"), {}, toml(tmp_path, table)).endpoints
    assert keyless.local
    assert collect_keys([keyless], {"OPENAI_API_KEY": "not for you"}) == {}
    (keyed,) = resolve_endpoints(
        spec("x"), {}, toml(tmp_path, f"{table}\napi_key_env = 'A'")
    ).endpoints
    assert collect_keys([keyed], {"A": "k"}) == {"A": "k"}


@pytest.mark.parametrize("host", ["127.0.0.1.example.com", "10.0.0.1", "models.example.com"])
def test_a_server_elsewhere_needs_a_key(tmp_path: Path, host: str) -> None:
    table = f"[writers.x]\nmodel = 'm'\nbase_url = 'http://{host}/v1'"
    (endpoint,) = resolve_endpoints(spec("x"), {}, toml(tmp_path, table)).endpoints
    assert (endpoint.local, endpoint.api_key_env) == (False, "OPENAI_API_KEY")


def test_money_can_be_capped_only_at_a_known_price(tmp_path: Path) -> None:
    file, caps = toml(tmp_path, NEMO), Caps(usd=1.0)
    assert resolve_endpoints(spec("nemo", caps=caps), {}, file).endpoints
    assert resolve_endpoints(spec("openai:gpt-4o-mini", caps=caps), {}, file).endpoints
    with pytest.raises(UserError, match="the price of gpt-nonsense is not known"):
        resolve_endpoints(spec("openai:gpt-nonsense", caps=caps), {}, file)
