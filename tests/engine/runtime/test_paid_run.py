"""Whole runs against a provider on loopback: a real engine, and a key that must stay hidden."""

from __future__ import annotations

import itertools
import json
import os
import sqlite3
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from engine.store.reader import Reader
from tests.engine.llm.faults import FAULTS
from tests.engine.llm.provider import KEY, Call, Provider, serve

ROOT = Path(__file__).parents[3]
TEACHER = f"program:{ROOT / 'tests/toy/teacher.py'}"
RUN = (
    *("run", str(ROOT / "tests/toy"), "--method", "ours", "--teacher", TEACHER),
    *("--llm", "paid", "--json"),
)
SHORT = ("--option", "generations=2")
"""Twelve requests without faults."""
TABLE = """
[writers.paid]
model = "fake-1"
base_url = "{url}"
api_key_env = "MY_KEY"
price_in = 1.0
price_out = 10.0
parameters = {{ max_tokens = 400, temperature = 0.7 }}
"""


@dataclass(frozen=True)
class Done:
    """A finished command: its exit code, what it printed, and where."""

    code: int
    out: str
    err: str
    db: Path


def preceptor(folder: Path, *words: str, key: str = KEY) -> Done:
    """Type a command in a folder, with the key in the environment unless it is empty."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI", "PRECEPTOR"))}
    done = subprocess.run(
        [sys.executable, "-c", "from tui.cli import main; main()", *words],
        cwd=folder,
        env=clean | ({"MY_KEY": key} if key else {}),
        capture_output=True,
        text=True,
        timeout=300,
    )
    return Done(done.returncode, done.stdout, done.stderr, folder / "runs.db")


def run_against(folder: Path, act: Callable[[Call], None], *words: str) -> tuple[Done, Provider]:
    """A run of ours on the toy whose requests all meet `act`."""
    with serve({"all": act}) as provider:
        (folder / "preceptor.toml").write_text(TABLE.format(url=provider.url("all")))
        done = preceptor(folder, *RUN, *words)
    return done, provider


def population(db: Path) -> list[tuple[str, str, float | None]]:
    """The survivors of run 1 after two generations."""
    with Reader(db) as reader:
        return [(c.id, c.program.code, c.cost) for c in reader.population(1, 2)]


def leaks(done: Done) -> list[str]:
    """Every place that holds the key: output, files, and what the store holds compressed."""
    places = {"stdout": done.out.encode(), "stderr": done.err.encode()}
    files = (file for file in done.db.parent.rglob("*") if file.is_file())
    places |= {str(file): file.read_bytes() for file in files}
    places |= dict(_blobs(done.db))
    assert any("reply" in place for place in places)
    return [place for place, data in places.items() if KEY.encode() in data]


def _blobs(db: Path) -> Iterator[tuple[str, bytes]]:
    connection = sqlite3.connect(db)
    for column in ("request", "reply"):
        for id, blob in connection.execute(f"SELECT id, {column} FROM calls"):
            yield f"calls {id} {column}", zlib.decompress(blob) if blob else b""
    connection.close()


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Provider]:
    """A run that nothing disturbs."""
    return run_against(tmp_path_factory.mktemp("clean"), FAULTS["fine"].act)


def test_a_run_without_faults_sends_exactly_thirty_requests(
    clean: tuple[Done, Provider],
) -> None:
    done, provider = clean
    assert done.code == 0, done.err
    assert len(provider.asked) == 30
    assert all(body["max_tokens"] == 400 for _, body in provider.asked)
    last = json.loads(done.out.splitlines()[-1])
    assert (last["status"], last["calls"]) == ("done", 30)
    with Reader(done.db) as reader:
        totals = reader.totals(1)
    assert (totals.tokens_in, totals.tokens_out, totals.maybe) == (3000, 600, 0)
    assert totals.usd == pytest.approx(3000e-6 + 600e-5)
    assert leaks(done) == []


def test_the_estimate_is_told_before_the_first_call_and_caps_at_twice_of_it(
    clean: tuple[Done, Provider],
) -> None:
    done, _ = clean
    events = [json.loads(line) for line in done.out.splitlines()]
    kinds = [event["event"] for event in events]
    assert kinds.index("estimate") < kinds.index("generation-opened") < kinds.index("call-sent")
    told = events[kinds.index("estimate")]
    assert (told["writer"], told["calls"]) == ("paid", 30)
    assert told["tokens_out"] == 30 * 400
    with Reader(done.db) as reader:
        caps, totals = reader.run(1).spec.caps, reader.totals(1)
    assert caps.calls == 60
    assert caps.tokens == 2 * (told["tokens_in"] + told["tokens_out"])
    assert caps.usd == pytest.approx(2 * told["usd"])
    assert totals.tokens_in <= told["tokens_in"]


PASSING = {
    2: "internal-error",
    4: "busy",
    6: "reset-at-once",
    8: "truncated-json",
    10: "choices-empty",
    12: "content-null",
    14: "page-called-json",
}


def test_passing_faults_cost_one_request_each_and_change_nothing(
    tmp_path: Path, clean: tuple[Done, Provider]
) -> None:
    number = itertools.count()

    def act(call: Call) -> None:
        FAULTS[PASSING.get(next(number), "fine")].act(call)

    done, provider = run_against(tmp_path, act, *SHORT)
    assert done.code == 0, done.err
    assert len(provider.asked) == 12 + len(PASSING)
    assert population(done.db) == population(clean[0].db)
    assert leaks(done) == []


def test_broken_answers_cost_one_repair_each_and_refusals_their_slot(tmp_path: Path) -> None:
    first = itertools.count()
    broken = {2: "cut-off", 5: "cut-off-while-thinking"}

    def act(call: Call) -> None:
        messages = call.body["messages"]
        if len(messages) > 1 or "\n# Analysis" in messages[0]["content"]:
            return call.answer()
        number = next(first)
        if number == 8:
            refusal = f"I will not take {call.headers['authorization']} for an answer."
            return call.answer(message={"content": None, "refusal": refusal})
        return FAULTS[broken.get(number, "fine")].act(call)

    done, provider = run_against(tmp_path, act, *SHORT)
    assert done.code == 0, done.err
    assert len(provider.asked) == 12 + len(broken)
    repairs = [body for _, body in provider.asked if len(body["messages"]) > 1]
    assert [body["max_tokens"] for body in repairs] == [800, 800]
    with Reader(done.db) as reader:
        failures = [c.failure.kind for c in reader.candidates(1) if c.failure]
        refused = [event for event in reader.events(1) if event.kind == "refused"]
    assert failures.count("provider") == len(refused) == 1
    assert "I will not take Bearer [key removed] for an answer." in str(refused)
    assert leaks(done) == []


def test_a_revoked_key_pauses_the_run_and_another_one_resumes_it(tmp_path: Path) -> None:
    revoked = f"Bearer {KEY}"

    def act(call: Call) -> None:
        refused = call.number >= 8 and call.headers["authorization"] == revoked
        FAULTS["bad-key-repeated" if refused else "fine"].act(call)

    with serve({"all": act}) as provider:
        (tmp_path / "preceptor.toml").write_text(TABLE.format(url=provider.url("all")))
        done = preceptor(tmp_path, *RUN, *SHORT)
        assert json.loads(done.out.splitlines()[-1])["status"] == "paused"
        with Reader(done.db) as reader:
            assert "check the variable that holds it" in reader.run(1).reason
            assert sum(call.reply is not None for call in reader.calls(1)) == 8
        assert leaks(done) == []
        resumed = preceptor(tmp_path, "resume", "1", key="another-valid-key")
    assert resumed.code == 0, resumed.err
    refused = len(provider.asked) - 12
    assert 1 <= refused <= 4  # those that left together; what was answered is not asked again
    assert leaks(resumed) == []


def test_equal_refusals_pause_the_run_and_cost_it_nothing(
    tmp_path: Path, clean: tuple[Done, Provider]
) -> None:
    refused: list[Call] = []
    mended = threading.Event()

    def act(call: Call) -> None:
        if call.number < 3 or mended.is_set():
            return call.answer()
        refused.append(call)
        return call.error(400, "your region is not served")

    with serve({"all": act}) as provider:
        (tmp_path / "preceptor.toml").write_text(TABLE.format(url=provider.url("all")))
        one_by_one = ("--option", "llm_concurrency=1")  # else an answer may come between refusals
        done = preceptor(tmp_path, *RUN, *SHORT, *one_by_one)
        last = json.loads(done.out.splitlines()[-1])
        assert last["status"] == "paused", last
        with Reader(done.db) as reader:
            assert "3 calls in a row were refused alike" in reader.run(1).reason
            paid = sum(call.reply is not None for call in reader.calls(1))
            assert last["calls"] == paid == 3
        mended.set()
        resumed = preceptor(tmp_path, "resume", "1")
    assert resumed.code == 0, resumed.err
    assert len(provider.asked) - len(refused) == 12
    assert population(done.db) == population(clean[0].db)


def test_a_token_cap_stops_in_time_and_raised_leads_to_the_same_population(
    tmp_path: Path, clean: tuple[Done, Provider]
) -> None:
    def use_much(call: Call) -> None:
        call.answer(usage={"prompt_tokens": 300, "completion_tokens": 100})

    with serve({"all": use_much}) as provider:
        (tmp_path / "preceptor.toml").write_text(TABLE.format(url=provider.url("all")))
        done = preceptor(tmp_path, *RUN, *SHORT, "--max-tokens", "3000")
        with Reader(done.db) as reader:
            spent, state = reader.totals(1), reader.run(1).state
        assert (done.code, state) == (4, "budget")
        assert spent.tokens_in + spent.tokens_out <= 3000
        assert 0 < len(provider.asked) < 7  # 400 each would do for 7, but the next may use more
        resumed = preceptor(tmp_path, "resume", "1", "--max-tokens", "100000")
    assert resumed.code == 0, resumed.err
    assert len(provider.asked) == 12
    assert population(done.db) == population(clean[0].db)


def test_without_its_key_nothing_is_booked(tmp_path: Path) -> None:
    (tmp_path / "preceptor.toml").write_text(TABLE.format(url="https://models.example.com/v1"))
    done = preceptor(tmp_path, *RUN, key="")
    assert done.code == 3
    assert "MY_KEY is not set" in done.err
    assert not done.db.exists()


def test_an_estimate_needs_no_key(tmp_path: Path) -> None:
    (tmp_path / "preceptor.toml").write_text(TABLE.format(url="https://models.example.com/v1"))
    done = preceptor(tmp_path, *RUN, "--estimate", key="")
    assert done.code == 0, done.err
    assert json.loads(done.out)["paid_calls"] == 30


def test_a_wrong_key_ends_with_3_before_anything_is_booked(tmp_path: Path) -> None:
    with serve({}) as provider:
        (tmp_path / "preceptor.toml").write_text(TABLE.format(url=provider.url("locked")))
        done = preceptor(tmp_path, *RUN)
    assert done.code == 3
    assert done.err.count("\n") == 1
    assert f"paid at {provider.url('locked')}: HTTP 401: Incorrect API key" in done.err
    assert not done.db.exists()


def test_spent_money_advises_to_raise_the_cap_on_money(tmp_path: Path) -> None:
    done, _ = run_against(tmp_path, FAULTS["fine"].act, *SHORT, "--max-usd", "0.006")
    assert done.code == 4
    assert "resume 1 --max-usd X" in done.err
    assert "--max-calls" not in done.err
