"""`preceptor pause`, `stop` and `answer`: orders and replies to an engine at work."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.options import Db, Json, WordAtWork
from tui.text.streams import emit, put, say

if TYPE_CHECKING:
    from engine.api.answer import Question
    from engine.api.job import CommandWord


def pause(run: WordAtWork = "", db: Db = DEFAULT_DB, as_json: Json = False) -> None:
    """Pause a run or a study until it is resumed.

    Calls under way are recorded, then its engine ends.

    \b
    Example:
      preceptor pause 12
    """
    _order(db, run, "pause", as_json)


def stop(run: WordAtWork = "", db: Db = DEFAULT_DB, as_json: Json = False) -> None:
    """End a run or a study before its time.

    Calls under way are recorded, then its engine ends. It can still be resumed.

    \b
    Example:
      preceptor stop 12
    """
    _order(db, run, "stop", as_json)


def _order(db: Path, run: str, command: CommandWord, as_json: bool) -> None:
    from engine.api.store import pick_job

    job = pick_job(db, run)
    answer = job.pause() if command == "pause" else job.stop()
    if as_json:
        emit(
            {
                answer.job.kind: answer.job.number,
                "command": answer.command,
                "acknowledged": answer.acknowledged,
                "status": answer.status,
            }
        )
    else:
        put(answer.text)
    if answer.is_open:
        raise typer.Exit(1)


def answer(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the writer.")],
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="A prompt, or next; its beginning will do.")
    ] = "",
    file: Annotated[
        str, typer.Argument(metavar="[FILE]", help="The reply; - for standard input.")
    ] = "",
    _db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Answer a run whose prompts go into a folder: `preceptor run ... --llm folder:DIR`.

    Without a name the prompts are listed that wait for a reply, with a name one is shown, and with
    a file it is answered. A reply may also be put into DIR by itself, as NAME.reply.md.

    \b
    Examples:
      preceptor answer ./letters
      preceptor answer ./letters next | llm | preceptor answer ./letters next -
      preceptor answer ./letters g01-s00 reply.md
    """
    from engine.api.answer import find_question, hand_in, list_questions

    if not name:
        _list_questions(list_questions(folder), as_json)
        return
    question = find_question(folder, name)
    if not file:
        if as_json:
            emit({"name": question.name, "prompt": question.text})
        else:
            put(question.text)
        return
    hand_in(folder, question.name, _read_reply(file))
    if as_json:
        emit({"name": question.name, "answered": True})
    else:
        say(f"{question.name} is answered")


def _list_questions(waiting: list[Question], as_json: bool) -> None:
    if as_json:
        emit({"waiting": [{"name": q.name, "characters": len(q.text)} for q in waiting]})
        return
    for question in waiting:
        put(f"{question.name}  {len(question.text):,} characters")
    if not waiting:
        say("no prompt waits for a reply")


def _read_reply(file: str) -> str:
    """The text of a reply. Raises UserError for a file that cannot be read."""
    from problems.errors import UserError

    try:
        whole = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise UserError(f"{file}: {error.strerror}") from error
    return whole.decode("utf-8", "replace")
