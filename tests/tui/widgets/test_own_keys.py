"""Keys of the user's own: in force everywhere, and refused in one line where they clash."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from problems.errors import UserError
from tests.conftest import Shell
from tests.tui.exhibit import LIVE, open_app
from tests.tui.schemas import read_document
from tui.screens.boxes import Confirm
from tui.screens.run import RunScreen
from tui.widgets import keymap
from tui.widgets.frame import Hints
from tui.widgets.keymap import read_keys


@pytest.fixture(autouse=True)
def _shipped_again() -> Iterator[None]:
    """The keys of one test are not those of the next."""
    yield
    keymap.use(keymap.SHIPPED)


async def test_own_keys_work_and_are_hinted_at(exhibit: Path) -> None:
    (exhibit.parent / "preceptor.toml").write_text('[keys]\nstop = "ctrl+k"\nzoom = "Z f6"\n')
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=(160, 48)) as pilot:
        await pilot.press("x")
        assert isinstance(app.screen, RunScreen)
        assert "^K stop" in " ".join(str(app.screen.query_one(Hints).content).split())
        await pilot.press("f6")
        assert app.screen.has_class("zoomed")
        await pilot.press("Z", "ctrl+k")
        assert isinstance(app.screen, Confirm)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[keys]\nzom = "x"\n', ":2: unknown action 'zom'; did you mean 'zoom'?"),
        ('a = 1\n\n[keys]\nsort = "s"\nzoom = "x"\n', ":5: 'x' is both zoom and stop in"),
        ("[keys]\nzoom = 3\n", ":2: zoom wants keys such as"),
        ('[keys]\nzoom = "two,keys"\n', ":2: zoom wants keys such as"),
        ('keys = "x"\n', ": [keys] is a table of"),
        ("[keys\n", ":1: "),
    ],
)
def test_what_is_wrong_is_named_with_file_and_line(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "preceptor.toml"
    file.write_text(text)
    with pytest.raises(UserError) as refused:
        read_keys(file)
    assert f"preceptor.toml{said}" in str(refused.value)


@settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    own=st.dictionaries(
        st.sampled_from(["stop", "zoom", "sort", "x"]), st.text(max_size=6), max_size=2
    )
)
def test_any_table_is_taken_or_refused_in_one_line(own: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "preceptor.toml"
    lines = [f"{name} = {_quoted(value)}" for name, value in own.items()]
    file.write_text("\n".join(["[keys]", *lines]), "utf-8")
    try:
        table = read_keys(file)
    except UserError as error:
        assert str(file) in str(error)
    else:
        assert len(table) == len(keymap.SHIPPED)


def _quoted(text: str) -> str:
    """A text as TOML writes it."""
    return '"' + "".join(f"\\U{ord(sign):08x}" for sign in text) + '"'


def test_the_keys_in_force_are_listed(preceptor: Shell, tmp_path: Path) -> None:
    (tmp_path / "preceptor.toml").write_text('[keys]\nstop = "ctrl+k"\n')
    found = read_document(preceptor("settings", "--keys", "stop", "--json").out, "settings")
    assert {tuple(key["keys"]) for key in found["keys"]} == {("ctrl+k",)}
    listed = preceptor("settings", "--keys").out
    assert "ctrl+k" in listed
    assert "did you mean 'stop'?" in preceptor("settings", "--keys", "stp").complaint
