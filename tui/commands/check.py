"""`preceptor check`: try everything that a run needs, without a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tui.options import DEFAULT_DB, Db, Json, MaxCalls, MaxTokens, MaxUsd, complete_methods
from tui.output import emit, say
from tui.solver_options import OptionWords, ProblemWord

if TYPE_CHECKING:
    from pathlib import Path

    from engine.config import RunSpec
    from engine.rehearsal import Rehearsal


def check(
    problem: ProblemWord,
    method: Annotated[
        str, typer.Option(help="The search method.", autocompletion=complete_methods)
    ] = "ours",
    llm: Annotated[str, typer.Option(metavar="SPEC", help="Who writes programs.")] = "builtin",
    analyzer_llm: Annotated[
        str, typer.Option(metavar="SPEC", help="Who writes briefs; the writer by default.")
    ] = "",
    teacher: Annotated[
        str, typer.Option(metavar="NAME", help="The teacher; the problem's own by default.")
    ] = "",
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_usd: MaxUsd = None,
    option: OptionWords = None,
    db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Rehearse a run: evaluate the seeds, ask the teacher once, send each writer one request.

    Nothing is booked. A language model is paid for its one request; then follows what a whole run
    would cost at most. Exit code: 0 when a run would work, 1 when a seed fails, 2 when the model
    refuses a parameter, 3 when writer or teacher is not available.

    \b
    Examples:
      preceptor check jssp
      preceptor check jssp --llm openai:gpt-4o-mini
      preceptor check ./myproblem --llm nemo --teacher program:rule.py --json
    """
    from engine.config import Caps, RunSpec, resolve
    from tui.booking import rooted_problem
    from tui.pages.check import describe_rehearsal, page_rehearsal

    ref, settings = resolve(rooted_problem(problem), option or [])
    caps = Caps(max_calls, max_tokens, max_usd)
    spec = RunSpec(ref, method, 0, llm, analyzer_llm, teacher, settings, caps)
    found = _rehearse(db, spec)
    if as_json:
        emit(describe_rehearsal(found))
    else:
        print(page_rehearsal(found))
    raise typer.Exit(found.exit_code)


def _rehearse(db: Path, spec: RunSpec) -> Rehearsal:
    import asyncio

    from engine.llm.secret import Secret
    from engine.reader import Reader
    from engine.rehearsal import rehearse
    from engine.writers import collect_keys
    from tui import booking

    with Reader(db) as reader:
        checked = booking.check(spec, reader)
        keys = collect_keys(checked.endpoints)
        secrets = {name: Secret(key) for name, key in keys.items()}
        return asyncio.run(rehearse(checked, reader, secrets, say))
