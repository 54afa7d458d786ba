"""`preceptor settings`: what `--option` takes, and what holds where one stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tui.commands.complete import complete_settings
from tui.commands.options import Json, OptionWords, PresetWord
from tui.text.streams import emit, put

if TYPE_CHECKING:
    from collections.abc import Sequence


def settings(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SETTING]...", help="Only these.", autocompletion=complete_settings
        ),
    ] = None,
    keys: Annotated[
        bool, typer.Option("--keys", help="The keys of the screens instead, as they are here.")
    ] = False,
    option: OptionWords = None,
    preset: PresetWord = None,
    as_json: Json = False,
) -> None:
    """List the settings: value here, where it comes from, values that it takes, what it is for.

    A setting is named by --option KEY=VALUE, else by --preset, by PRECEPTOR_KEY in the
    environment, under [settings] in preceptor.toml; else its default holds. Options of a problem
    are named after it, as in --option tsp.kind=whole; those of language models stand in
    preceptor help writers. Keys are changed under [keys]: stop = "ctrl+k"; --keys names them all.

    \b
    Examples:
      preceptor settings
      preceptor settings tune_seconds cascade
      preceptor settings --preset paper --json
      preceptor settings --keys
    """
    if keys:
        _show_keys(names or (), as_json)
        return
    from dataclasses import asdict

    from engine.domain.specs.settings import list_settings
    from problems.errors import UnknownName
    from tui.text.settings import page_known

    known = {one.name: one for one in list_settings(tuple(option or ()), preset)}
    for name in names or ():
        if name not in known:
            raise UnknownName("setting", name, known)
    chosen = [known[name] for name in dict.fromkeys(names or known)]
    if as_json:
        emit({"settings": [asdict(one) for one in chosen]})
    else:
        put(page_known(chosen))


def _show_keys(names: Sequence[str], as_json: bool) -> None:
    """The keys in force, by where they work; only those of some actions where they are named."""
    from engine.domain.specs.settings import FILE
    from problems.errors import UnknownName
    from tui.text.formatting import table
    from tui.widgets.own_keys import read_keys

    known = [key for key in read_keys(FILE) if key.name]
    for name in names:
        if name not in {key.name for key in known}:
            raise UnknownName("action", name, sorted({key.name for key in known}))
    chosen = [key for key in known if not names or key.name in names]
    if as_json:
        told = [
            {"name": key.name, "where": key.scope, "keys": key.keys.split(), "about": key.about}
            for key in chosen
        ]
        emit({"keys": told})
    else:
        rows = [(key.name, key.keys, key.scope, key.about) for key in chosen]
        put(table(("action", "keys", "where", "what it does"), rows))
