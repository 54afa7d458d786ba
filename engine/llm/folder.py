"""The writer behind a folder: prompts go out as files, replies come in as files.

    DIR/NAME.prompt.md   what is asked, written whole or not at all
    DIR/NAME.reply.md    the answer, by whoever: a person with a chat window, an agent, a batch

A name is made of what is asked, so that a run that is killed and resumed finds the reply that came
meanwhile, and a prompt is never out twice.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from engine.domain.values import Reply, Request
from problems.errors import UserError, WorldError, WriterUnavailable

PREFIX = "folder:"
"""How such a writer is written: `folder:DIR`."""

PROMPT = ".prompt.md"
REPLY = ".reply.md"

LOOK = 0.2
"""Seconds between looks for a reply; one counts when it is the same at two looks."""

LARGEST = 1 << 20
"""Bytes of a reply that are read; no program is longer."""


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt that waits for its reply in a folder."""

    name: str
    text: str


class FolderWriter:
    """Waits for replies in a folder for as long as it takes; asking again costs nothing."""

    def __init__(self, folder: Path) -> None:
        self.name = f"{PREFIX}{folder}"
        self._folder = folder

    async def complete(self, request: Request) -> Reply:
        """The text of the reply file. Raises WriterUnavailable where the folder cannot be used."""
        name = name_request(request)
        try:
            if not (self._folder / f"{name}{REPLY}").exists():
                write_whole(self._folder, f"{name}{PROMPT}", format_prompt(request))
            before = b""
            while not before.strip() or before != self._read(name):
                before = self._read(name)
                await asyncio.sleep(LOOK)
        except OSError as error:
            raise WriterUnavailable(f"{self._folder}: {error.strerror}") from error
        return Reply(before.decode("utf-8", "replace"), model="folder")

    def withdraw(self, request: Request) -> None:
        """Take a prompt back that nobody has answered."""
        with suppress(OSError):
            (self._folder / f"{name_request(request)}{PROMPT}").unlink()

    def _read(self, name: str) -> bytes:
        """What there is of a reply so far; nothing where there is no file."""
        try:
            with (self._folder / f"{name}{REPLY}").open("rb") as file:
                return file.read(LARGEST)
        except FileNotFoundError:
            return b""


def name_request(request: Request) -> str:
    """The name of a request's files: its generation, slot and operator, and a digest."""
    texts = [f"{message.role}\0{message.content}" for message in request.messages]
    asked = "\0".join([request.role, request.operator, str(request.draw), *texts])
    digest = hashlib.sha256(asked.encode("utf-8", "replace")).hexdigest()[:10]
    recipe = request.recipes[0] if request.recipes else None
    place = f"g{recipe.generation:02}-s{recipe.slot:02}-" if recipe else ""
    what = request.operator if request.role == "program" else request.role
    return f"{place}{what}-{digest}".lower()


def format_prompt(request: Request) -> str:
    """A request as one text: its messages, each below its role where there are several."""
    if len(request.messages) == 1:
        return request.messages[0].content
    return "\n\n".join(f"# {message.role}\n\n{message.content}" for message in request.messages)


def list_questions(folder: Path) -> list[Question]:
    """The prompts in a folder that have no reply yet, by name. Raises UserError for no folder."""
    try:
        files = sorted(file for file in folder.iterdir() if file.name.endswith(PROMPT))
    except OSError as error:
        raise UserError(f"{folder}: {error.strerror}") from error
    names = (file.name.removesuffix(PROMPT) for file in files if file.is_file())
    waiting = [name for name in names if not _is_answered(folder / f"{name}{REPLY}")]
    return [Question(name, _read_prompt(folder / f"{name}{PROMPT}")) for name in waiting]


def hand_in(folder: Path, name: str, text: str) -> None:
    """Answer a question, whole or not at all.

    Raises UserError for a reply without a word, WorldError where it cannot be written.
    """
    if not text.strip():
        raise UserError("a reply has at least one word")
    try:
        write_whole(folder, f"{name}{REPLY}", text)
    except OSError as error:
        raise WorldError(f"{folder}: {error.strerror}") from error


def write_whole(folder: Path, name: str, text: str) -> None:
    """Write a file of a folder, which may be new: nobody ever reads a part. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f".{name}.{os.getpid()}.part"
    try:
        part.write_bytes(text.encode("utf-8", "replace"))
        part.replace(folder / name)
    finally:
        part.unlink(missing_ok=True)


def _is_answered(file: Path) -> bool:
    try:
        return file.stat().st_size > 0
    except OSError:
        return False


def _read_prompt(file: Path) -> str:
    try:
        return file.read_bytes()[:LARGEST].decode("utf-8", "replace")
    except OSError:  # taken back meanwhile
        return ""
