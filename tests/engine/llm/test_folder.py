"""Prompts out as files, replies in as files: whole, found again, and by anybody."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.api.answer import find_question
from engine.domain.values import Failure, Message, Program, Request
from engine.llm import folder as folders
from engine.llm.folder import PROMPT, REPLY, FolderWriter, hand_in, list_questions
from engine.search.reply_parser import parse_reply
from problems.errors import UnknownName, UserError, WriterUnavailable
from tests.toy.problem import Toy

REQUEST = Request("program", "s", (Message("user", "Write a program."),), (), draw=7)
OTHER = Request("program", "s", (Message("user", "Write a program."),), (), draw=8)


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "LOOK", 0.001)


async def until_asked(folder: Path, count: int = 1) -> list[str]:
    """The names of the questions in a folder, once there are so many."""
    async with asyncio.timeout(60):
        while not folder.is_dir() or len(list_questions(folder)) < count:
            await asyncio.sleep(0.001)
    return [question.name for question in list_questions(folder)]


async def test_a_reply_that_is_handed_in_is_the_answer(tmp_path: Path) -> None:
    folder = tmp_path / "letters"
    asked = asyncio.ensure_future(FolderWriter(folder).complete(REQUEST))
    (name,) = await until_asked(folder)
    assert (folder / f"{name}{PROMPT}").read_text() == "Write a program."
    hand_in(folder, name, "Here it is.")
    assert (await asked).text == "Here it is."
    assert list_questions(folder) == []


async def test_equal_prompts_of_different_draws_are_different_questions(tmp_path: Path) -> None:
    writer = FolderWriter(tmp_path)
    asked = [asyncio.ensure_future(writer.complete(one)) for one in (REQUEST, OTHER)]
    for name in await until_asked(tmp_path, 2):
        hand_in(tmp_path, name, name)
    first, second = await asyncio.gather(*asked)
    assert first.text != second.text


async def test_a_reply_that_came_meanwhile_is_found_by_the_next_process(tmp_path: Path) -> None:
    asked = asyncio.ensure_future(FolderWriter(tmp_path).complete(REQUEST))
    (name,) = await until_asked(tmp_path)
    asked.cancel()
    hand_in(tmp_path, name, "Late.")
    assert (await FolderWriter(tmp_path).complete(REQUEST)).text == "Late."


async def test_an_empty_file_is_no_reply_yet(tmp_path: Path) -> None:
    asked = asyncio.ensure_future(FolderWriter(tmp_path).complete(REQUEST))
    (name,) = await until_asked(tmp_path)
    (tmp_path / f"{name}{REPLY}").write_text(" \n")
    for _ in range(20):
        await asyncio.sleep(0.001)
    assert not asked.done()
    (tmp_path / f"{name}{REPLY}").write_text("Now.")
    assert (await asked).text == "Now."


async def test_a_folder_that_cannot_be_used_pauses_a_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WriterUnavailable, match="file/letters"):
        await FolderWriter(tmp_path / "file/letters").complete(REQUEST)


def test_a_question_is_found_by_the_beginning_of_its_name(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nowhere"):
        list_questions(tmp_path / "nowhere")
    with pytest.raises(UserError, match="no prompt waits"):
        find_question(tmp_path, "next")
    for name in ("g01-s00-m-abc", "g01-s01-m-def"):
        (tmp_path / f"{name}{PROMPT}").write_text(name)
    assert find_question(tmp_path, "next").name == "g01-s00-m-abc"
    assert find_question(tmp_path, "g01-s01").text == "g01-s01-m-def"
    for word in ("g01", "../g01"):
        with pytest.raises(UnknownName):
            find_question(tmp_path, word)
    with pytest.raises(UserError, match="at least one word"):
        hand_in(tmp_path, "g01-s00-m-abc", "  ")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(min_size=1, max_size=300).filter(bytes.strip))
def test_any_file_is_read_as_some_text(tmp_path: Path, data: bytes) -> None:
    name = folders.name_request(REQUEST)
    (tmp_path / f"{name}{REPLY}").write_bytes(data)
    reply = asyncio.run(FolderWriter(tmp_path).complete(REQUEST))
    reply.text.encode("utf-8")
    found = parse_reply(reply.text, Toy().contract, reply.finish)
    assert isinstance(found, Failure | Program)
    assert list_questions(tmp_path) == []
