"""`preceptor teachers`: list, train, export, verify and import the learned policies."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.domain.names import DEFAULT_DB
from problems.errors import UserError
from tui.commands.options import Db, Device, Json
from tui.text.streams import emit, emit_line, put, say

if TYPE_CHECKING:
    from teachers.training.measure import TrainingProgress
    from teachers.verify import Figure
    from teachers.weights import Header
    from tui.text.pages.teachers import TrainingCurve


CURVE = (76, 12)
"""Cells of the validation curve that is drawn at the end of a training."""

teachers_app = typer.Typer(
    name="teachers", no_args_is_help=True, help="List, train, export, verify and import teachers."
)


def complete_teachers(incomplete: str) -> list[str]:
    """The names of the teachers that have weights, or might."""
    import teachers

    return [name for name in teachers.learned() if name.startswith(incomplete)]


@teachers_app.command("list")
def list_teachers(_db: Db = DEFAULT_DB, as_json: Json = False) -> None:
    """List all teachers: problem, weights, figures.

    \b
    Examples:
      preceptor teachers list
      preceptor teachers list --json
    """
    import teachers
    from teachers.weights import header_files, read_header
    from tui.json.measures import describe_teacher
    from tui.text.pages.teachers import page_teachers

    files = header_files()
    found = {
        name: read_header(files[name]) if name in files else None for name in teachers.names()
    }
    if as_json:
        emit({"teachers": [describe_teacher(name, header) for name, header in found.items()]})
    else:
        put(page_teachers(found))


@teachers_app.command("train")
def train_teacher(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", autocompletion=complete_teachers, help="A teacher, or any problem."
        ),
    ],
    minutes: Annotated[
        float | None,
        typer.Option(min=0, metavar="N", help="Minutes in all, data included."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seeds data and network.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for the weights; the user's own by default."),
    ] = None,
    device: Device = "auto",
    resume: Annotated[
        bool, typer.Option(help="Go on from an interrupted training of the same recipe.")
    ] = True,
    start: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            autocompletion=complete_teachers,
            help="Begin with the weights of a teacher.",
        ),
    ] = "",
    hidden: Annotated[
        int,
        typer.Option(min=0, metavar="N", help="Hidden units of a problem's policy; 0: linear."),
    ] = 0,
    _db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Train a teacher from nothing.

    For any problem of rules, your own among them, it is a policy over the numbers of its actions,
    policy-PROBLEM. It then is the default teacher of your own problem.

    Weights and a header that says how they came to be are written. Interrupted, the training goes
    on where it was when called again. With --json a line for each word on its progress, the
    teacher last.

    Networks for tours and routes use all cores, and their threads wait for each other: beside
    other work give them cores of their own, as in the last example.

    \b
    Examples:
      preceptor teachers train offline-l2d --minutes 30
      preceptor teachers train offline-l2d --seed 1 --out ./teachers --no-resume
      preceptor teachers train lehd-tsp --start lehd-tsp --device cuda --minutes 60
      taskset -c 0 preceptor teachers train lehd-cvrp
      preceptor teachers train ./shop --minutes 5
    """
    from teachers import trainer
    from tui.json.measures import describe_teacher
    from tui.text.pages.teachers import TrainingCurve, tell_best_rule

    curve = TrainingCurve()
    own = {} if minutes is None else {"minutes": minutes}
    own |= _read_hidden(name, hidden)
    header = trainer(_find_trained(name))(
        seed=seed,
        out=out,
        device=device,
        report=_tell_in_json if as_json else partial(_tell, curve),
        resume=resume,
        start=start,
        **own,
    )
    if as_json:
        emit_line(describe_teacher(header.name, header))
    else:
        if chart := curve.chart(*CURVE):
            say(chart)
        _show(header, as_json)
        if told := tell_best_rule(header):
            say(told)


@teachers_app.command("export")
def export_teacher(
    name: Annotated[
        str, typer.Argument(metavar="NAME", autocompletion=complete_teachers, help="A teacher.")
    ],
    file: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The new file.")],
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    _db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Write a linear policy as a rule, a program that takes the teacher's choices.

    Such are teachers trained for a problem whose programs score one action at a time.

    \b
    Examples:
      preceptor teachers export policy-shop -o rule.py
      preceptor run ./shop --start rule.py
    """
    from engine.api.export import write_teacher

    code = write_teacher(name, file, force)
    if as_json:
        emit({"teacher": name, "file": str(file), "code": code})
    else:
        put(f"{file}: {name} as a rule")


@teachers_app.command("verify")
def verify_teachers(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[NAME]", autocompletion=complete_teachers, help="A teacher; all by default."
        ),
    ] = "",
    device: Device = "auto",
    _db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Measure recorded figures again.

    Figures on published sets need the sets: see `preceptor data`. Exit code: 0 when all come out
    as recorded, 1 when one does not, 3 when weights are missing or altered.

    \b
    Examples:
      preceptor teachers verify
      preceptor teachers verify offline-l2d --device cpu
    """
    from teachers.verify import verify
    from teachers.weights import header_files
    from tui.json.measures import describe_figures
    from tui.text.pages.teachers import page_figures

    figures: dict[str, tuple[Figure, ...]] = {}
    for one in [name] if name else header_files():
        figures[one] = verify(one, lambda progress: say(str(progress)), device)
        if not as_json:
            put(page_figures(one, figures[one]))
    if as_json:
        emit({"teachers": [describe_figures(one, found) for one, found in figures.items()]})
    differ = any(figure.equal is False for found in figures.values() for figure in found)
    raise typer.Exit(1 if differ else 0)


@teachers_app.command("import")
def import_teacher(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The published file.")],
    name: Annotated[
        str, typer.Option(metavar="NAME", help="What to call it; after the file by default.")
    ] = "",
    _db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Import an official network of L2D, LEHD or ECO-DQN.

    Its layout is recognised; nothing in the file is run.

    \b
    Examples:
      preceptor teachers import 20_20_1_99.pth --name l2d
      preceptor teachers import checkpoint-150.pt
    """
    from teachers.training.official_layouts import import_official

    _show(import_official(file, name), as_json)


def _find_trained(name: str) -> str:
    """The name of a teacher as it is, a problem of the user's own by its path, once it was tried.

    Raises what `resolve_settings` does.
    """
    import problems
    from engine.api.resolve import absolute_problem, resolve_settings

    place = absolute_problem(name)
    return resolve_settings(place)[0].name if problems.is_path(place) else name


def _read_hidden(name: str, hidden: int) -> dict[str, int]:
    """Hidden units as an argument. Raises UserError where the network is another one."""
    import teachers

    if hidden and name in teachers.trained():
        raise UserError(
            f"--hidden is for the policy of a problem; {name} has a network of its own"
        )
    return {"hidden": hidden} if hidden else {}


def _tell(curve: TrainingCurve, progress: TrainingProgress) -> None:
    from tui.json.measures import describe_training

    say(str(progress))
    curve.read(json.dumps(describe_training(progress)))


def _tell_in_json(progress: TrainingProgress) -> None:
    from tui.json.measures import describe_training

    emit_line(describe_training(progress))


def _show(header: Header, as_json: bool) -> None:
    from tui.json.measures import describe_teacher
    from tui.text.pages.teachers import page_teachers

    if as_json:
        emit(describe_teacher(header.name, header))
    else:
        put(page_teachers({header.name: header}))
