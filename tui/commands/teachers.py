"""`preceptor teachers`: list, train, verify and import the learned policies."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.domain.names import DEFAULT_DB
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
    name="teachers", no_args_is_help=True, help="List, train, verify and import teachers."
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
        str, typer.Argument(metavar="NAME", autocompletion=complete_teachers, help="A teacher.")
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
    _db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Train a teacher from nothing.

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
    """
    from teachers import trainer
    from tui.json.measures import describe_teacher
    from tui.text.pages.teachers import TrainingCurve

    curve = TrainingCurve()
    own = {} if minutes is None else {"minutes": minutes}
    header = trainer(name)(
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
