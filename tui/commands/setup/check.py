"""`preceptor check`: try everything that a run needs, without a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.measure.solver_options import OptionWords, ProblemWord
from tui.commands.options import Db, Json, MaxCalls, MaxTokens, MaxUsd, complete_methods
from tui.text.streams import emit, say

if TYPE_CHECKING:
    from pathlib import Path

    from engine.api.dry_run import DryRun
    from engine.domain.specs.settings import RunSpec


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
    from engine.api.book_run import absolute_problem
    from engine.domain.specs.settings import Caps, RunSpec, resolve
    from tui.json.check import describe_dry_run
    from tui.text.pages.check import page_dry_run

    ref, settings = resolve(absolute_problem(problem), option or [])
    caps = Caps(max_calls, max_tokens, max_usd)
    spec = RunSpec(ref, method, 0, llm, analyzer_llm, teacher, settings, caps)
    found = _rehearse(db, spec)
    if as_json:
        emit(describe_dry_run(found))
    else:
        print(page_dry_run(found))
    raise typer.Exit(found.exit_code)


def _rehearse(db: Path, spec: RunSpec) -> DryRun:
    import asyncio

    from engine.api import book_run as booking
    from engine.api.dry_run import dry_run
    from engine.llm.openai.secret import Secret
    from engine.runtime.writers.writer_config import collect_keys
    from engine.store.reader import Reader

    with Reader(db) as reader:
        checked = booking.check_run(spec, reader)
        keys = collect_keys(checked.endpoints)
        secrets = {name: Secret(key) for name, key in keys.items()}
        return asyncio.run(dry_run(checked, reader, secrets, say))
