"""`preceptor settings`: what `--option` takes, and what holds where one stands."""

from __future__ import annotations

from typing import Annotated

import typer

from tui.commands.complete import complete_settings
from tui.commands.options import Json, OptionWords, PresetWord
from tui.text.streams import emit, put


def settings(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SETTING]...", help="Only these.", autocompletion=complete_settings
        ),
    ] = None,
    option: OptionWords = None,
    preset: PresetWord = None,
    as_json: Json = False,
) -> None:
    """List the settings: value here, where it comes from, values that it takes, what it is for.

    A setting is named by --option KEY=VALUE, else by --preset, by PRECEPTOR_KEY in the
    environment, under [settings] in preceptor.toml; else its default holds. Options of a problem
    are named after it, as in --option jssp.state=plan; those of language models stand in
    preceptor help writers.

    \b
    Examples:
      preceptor settings
      preceptor settings tune_seconds cascade
      preceptor settings --preset paper --json
    """
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
