"""The command line: what there is to type, and how errors become exit codes.

Exit codes: 0 done, 1 failed, 2 usage or settings, 3 language model or teacher unavailable,
4 budget spent, 130 interrupted.
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from problems.errors import PreceptorError
from tui.output import say

app = typer.Typer(
    name="preceptor",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def print_version(wanted: bool) -> None:
    """Print the version and end, where it is asked for."""
    if wanted:
        print(f"preceptor {version('preceptor')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def preceptor(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Evolves small, readable heuristic programs under the eye of a learned policy."""


def main() -> None:
    """Run a command; whatever goes wrong is one line on stderr and an exit code."""
    try:
        code = app(standalone_mode=False)
    except typer.TyperException as error:
        code = refuse(error.format_message(), error.exit_code)
    except PreceptorError as error:
        code = refuse(str(error), error.exit_code)
    sys.exit(code)


def refuse(message: str, code: int) -> int:
    """Say why nothing came of it; returns the exit code."""
    say(f"preceptor: {message}")
    return code
