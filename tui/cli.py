"""The command line: what there is to type, and how errors become exit codes.

Exit codes: 0 done, 1 failed, 2 usage or settings, 3 language model or teacher unavailable,
4 budget spent, 130 interrupted.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.domain.names import DEFAULT_DB
from problems.errors import PreceptorError, UserError
from problems.own_code import blame
from tui.commands import screen
from tui.commands.control import answer, pause, stop
from tui.commands.data import data_app
from tui.commands.installation import check, doctor, settings, show_help
from tui.commands.measure import bench, diagnose, tune
from tui.commands.new import new_app, prompts_app
from tui.commands.options import bring_up_to_date
from tui.commands.results import compare, label, runs, show
from tui.commands.run import resume, run, study, watch
from tui.commands.serve import serve
from tui.commands.teachers import teachers_app
from tui.commands.tour import tour
from tui.commands.transfer import export, export_run, import_run, remove, vacuum
from tui.commands.viewing import FASTEST, SLOWEST, UI_HZ, ask_hertz, ask_read_only, name_theme
from tui.text.streams import INTERRUPTED, data_alone, give_up_stdout, put, say, spell_out_signs


def _open_screen(*what: Any, **more: Any) -> None:
    from tui.app.app import open_screen  # Textual is imported only when a screen opens

    open_screen(*what, **more)


screen.open_screen = _open_screen

UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
"""What the disk or the device behind an output says when it takes nothing more."""

app = typer.Typer(
    name="preceptor",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
COMMANDS = (
    *(run, study, watch, serve, runs, show, compare, resume, pause, stop, answer, export),
    *(label, remove, vacuum),
    *(bench, diagnose, tune, check, settings, doctor, tour),
)
for _command in COMMANDS:
    app.command()(_command)
app.command()(export_run)
app.command("import")(import_run)
app.command("help")(show_help)
app.add_typer(teachers_app)
app.add_typer(data_app)
app.add_typer(new_app)
app.add_typer(prompts_app)


def print_version(wanted: bool) -> None:
    """Print the version and end, where it is asked for."""
    if wanted:
        from importlib.metadata import version  # it takes a tenth of a start to load

        put(f"preceptor {version('preceptor')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def preceptor(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    db: Annotated[
        Path | None, typer.Option("--db", metavar="FILE", help="The run store of any command.")
    ] = None,
    theme: Annotated[
        str, typer.Option(metavar="NAME", help="Colours of the screens, such as textual-light.")
    ] = "",
    ui_hz: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            min=SLOWEST,
            max=FASTEST,
            envvar=UI_HZ,
            show_envvar=False,
            help="How often in a second screens look at the store; 4, and 2 over SSH, by default.",
        ),
    ] = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Screens that start, change and write nothing.")
    ] = False,
) -> None:
    """Evolves small, readable heuristic programs guided by a learned policy.

    \b
    Examples:
      preceptor run jssp             search for a job-shop rule, no model or key needed
      preceptor watch                see the run at work, or the latest
      preceptor export latest -o rule.py
    """
    if db is not None:
        os.environ["PRECEPTOR_DB"] = str(db)  # where every command looks
    if theme:
        name_theme(theme)
    if ui_hz is not None:
        ask_hertz(ui_hz)
    if read_only:
        ask_read_only()
    if context.invoked_subcommand is None:
        store = bring_up_to_date(Path(os.environ.get("PRECEPTOR_DB", DEFAULT_DB)))
        if screen.has_screen():
            screen.show_runs(store)
            return
        runs(store)
        say(
            "\nstart a run with: preceptor run PROBLEM; a gentle start: preceptor tour; "
            "all commands: preceptor --help"
        )


def main() -> None:
    """Run a command; whatever goes wrong is one line on stderr and an exit code."""
    spell_out_signs()
    try:
        with data_alone() if "--json" in sys.argv else nullcontext():
            code = app(prog_name="preceptor", standalone_mode=False)
    except typer.TyperException as error:
        code = refuse(error.format_message(), error.exit_code)
    except typer.Abort:  # Ctrl-C or the end of the input, at a question
        code = refuse("interrupted", INTERRUPTED)
    except PreceptorError as error:
        code = refuse(str(error), error.exit_code)
    except OSError as error:
        code = refuse_output(error) if error.errno in UNWRITABLE else tell_all(error)
    except Exception as error:
        code = tell_all(error)
    sys.exit(code)


def refuse(message: str, code: int) -> int:
    """Say why nothing came of it; returns the exit code."""
    say(f"preceptor: {message}")
    return code


def refuse_output(error: OSError) -> int:
    """Say that what was printed or written found no place; returns the exit code."""
    give_up_stdout()
    return refuse(f"the output cannot be written: {error.strerror}", 1)


def tell_all(error: Exception) -> int:
    """Tell the unforeseen in full, of which a terminal obeys nothing; returns the exit code.

    What the user's own code raised is shown by its line alone.
    """
    if told := blame(error):
        return refuse(told, UserError.exit_code)
    say(traceback.format_exc())
    return 1
