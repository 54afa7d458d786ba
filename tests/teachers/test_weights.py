"""Weights and headers on disk: what is refused, what goes before what."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from problems.errors import TeacherUnavailable
from teachers.weights import (
    SCHEMA,
    SHIPPED,
    Header,
    header_files,
    read,
    read_header,
    replace_file,
    write,
)

HEADER = Header("mine", "jssp", "offline_l2d", "a test", {"network": "l2d"}, {"seed": 3})


def stored(folder: Path) -> Path:
    """One written teacher; its header file."""
    write(HEADER, {"weight": np.arange(6.0).reshape(2, 3)}, folder)
    return folder / "mine.json"


def test_what_is_written_is_read(own_folder: Path) -> None:
    header, arrays = read(stored(own_folder))
    assert replace(header, sha256="") == HEADER
    assert arrays["weight"].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_missing_weights_are_refused_with_the_command_that_makes_them(own_folder: Path) -> None:
    file = stored(own_folder)
    file.with_suffix(".safetensors").unlink()
    with pytest.raises(TeacherUnavailable, match=r"missing.*preceptor teachers train mine"):
        read(file)


def test_altered_weights_are_refused(own_folder: Path) -> None:
    file = stored(own_folder)
    weights = file.with_suffix(".safetensors")
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(bytes(content))
    with pytest.raises(TeacherUnavailable, match="not the file its header describes"):
        read(file)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"name": "x", "surprise": 1}'])
def test_what_is_no_header_is_refused(own_folder: Path, text: str) -> None:
    file = stored(own_folder)
    file.write_text(text)
    with pytest.raises(TeacherUnavailable, match="not a teacher header"):
        read_header(file)


def test_a_header_of_a_newer_version_is_refused(own_folder: Path) -> None:
    file = stored(own_folder)
    file.write_text(json.dumps({**json.loads(file.read_text()), "schema": SCHEMA + 1}))
    with pytest.raises(TeacherUnavailable, match="newer version"):
        read_header(file)


def test_the_users_own_teacher_goes_before_a_shipped_one_of_its_name(own_folder: Path) -> None:
    name = next(SHIPPED.glob("*.json")).stem
    assert header_files()[name].parent == SHIPPED
    write(replace(HEADER, name=name), {"weight": np.zeros(1)}, own_folder)
    assert header_files()[name].parent == own_folder


def test_a_failed_write_leaves_the_old_file_and_no_draft(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("old")
    with pytest.raises(ZeroDivisionError), replace_file(file) as handle:
        handle.write(b"new")
        raise ZeroDivisionError
    assert file.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["file"]


@pytest.mark.parametrize("file", sorted(SHIPPED.glob("*.json")), ids=lambda file: file.stem)
def test_shipped_weights_are_intact_and_say_where_they_come_from(file: Path) -> None:
    header, _ = read(file)
    assert header.name == file.stem
    assert header.origin["command"].startswith(f"preceptor teachers train {header.name}")
    assert header.validation and header.measured
