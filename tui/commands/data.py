"""`preceptor data`: list, import and fetch instance sets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.options import Db, Json
from tui.text.streams import emit, line_width, put, say

if TYPE_CHECKING:
    from problems.sets.library import LibraryEntry


data_app = typer.Typer(
    name="data", no_args_is_help=True, help="List, import and fetch instance sets."
)

MOST_TOLD = 5
"""Lines about what an import leaves out."""


def complete_published(incomplete: str) -> list[str]:
    """The names of the sets that can be fetched."""
    from problems.sets.library import holdings

    return [one.name for one in holdings() if one.address and one.name.startswith(incomplete)]


@data_app.command("list")
def list_sets(_db: Db = DEFAULT_DB, as_json: Json = False) -> None:
    """List all instance sets and whether they are at hand.

    The state is generated (always there), imported, or missing (published, to be imported).

    \b
    Examples:
      preceptor data list
      preceptor data list --json
    """
    from problems.sets.library import holdings
    from tui.json.measures import describe_set
    from tui.text.pages.measures import page_sets

    found = holdings()
    if as_json:
        emit({"sets": [describe_set(one) for one in found]})
    else:
        put(page_sets(found, line_width()))


@data_app.command("import")
def import_sets(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A folder, an archive or a file.")],
    name: Annotated[
        str, typer.Option("--as", metavar="NAME", help="What to call a set of your own.")
    ] = "",
    _db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Import instance sets from files.

    Published sets are recognised by their content, whatever the files are called; other instances
    become sets of your own. Best known values are taken from files beside the instances
    (solutions, tables, .sol). What is left out is listed on stderr, with the reason.

    \b
    Examples:
      preceptor data import ./tsplib
      preceptor data import tours.zip --as my-tours
    """
    from problems.sets.imports import import_path, importers

    imported = import_path(path, name or None, importers())
    _tell_left_out(imported.left_out)
    _show(imported.sets, imported.left_out, as_json)


@data_app.command("fetch")
def fetch_set(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", autocompletion=complete_published, help="A published set."),
    ],
    address: Annotated[
        str, typer.Option("--from", metavar="URL", help="Another place than its own.")
    ] = "",
    _db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Download a published set and import it.

    Only the published instances are accepted, by sha256, wherever they come from.

    \b
    Examples:
      preceptor data fetch tsplib
      preceptor data fetch tsplib --from https://example.org/tsplib.zip
    """
    from problems.sets.imports import fetch, importers

    _show([fetch(name, importers(), address)], [], as_json)


def _tell_left_out(lines: Sequence[str]) -> None:
    for line in lines[:MOST_TOLD]:
        say(f"left out: {line}")
    if len(lines) > MOST_TOLD:
        say(f"left out: {len(lines) - MOST_TOLD} more, --json lists all of them")


def _show(sets: Sequence[LibraryEntry], left_out: Sequence[str], as_json: bool) -> None:
    from tui.json.measures import describe_stored
    from tui.text.pages.measures import page_entry

    if as_json:
        emit({"sets": [describe_stored(entry) for entry in sets], "left_out": list(left_out)})
    else:
        put("\n".join(map(page_entry, sets)))
