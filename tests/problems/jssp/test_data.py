"""Instances of the job shop: generated ones are the published ones, read ones are checked."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from problems.errors import UnknownName, UserError
from problems.jssp import instances as sets
from problems.jssp.formats import read_jsplib
from problems.jssp.instances import CLASSES, Instance, from_record, taillard_instances
from problems.jssp.problem import Jssp
from problems.sets.files import File
from problems.sets.imports import import_path

load = Jssp().load

SHARED = Path(__file__).parents[4] / "shared" / "data" / "jssp"
GOOD = "# a comment\n\n2 3\n0 5  1 6  2 7\n 2 1  0 0  1 3\n"
SEED300 = {
    "10x10": "dde9994c13387112",
    "15x15": "1ea02d7e43a51daa",
    "20x20": "578d8b598675cbd8",
    "30x20": "9b00f3e4a7a78c32",
    "50x20": "de20210303876f72",
}
needs_files = pytest.mark.skipif(not SHARED.exists(), reason="the benchmark files are not here")


@pytest.mark.parametrize("size", SEED300)
def test_random_sets_are_the_published_arrays(size: str) -> None:
    instances = load(f"random-{size}")
    array = np.array([[i.durations, np.array(i.machines) + 1] for i in instances], dtype="<i4")
    assert hashlib.sha256(array.tobytes()).hexdigest()[:16] == SEED300[size]


@needs_files
def test_taillard_instances_equal_the_jsplib_files() -> None:
    generated = [instance for size in CLASSES for instance in taillard_instances(*size)]
    assert [i.name for i in generated] == [f"ta{number:02}" for number in range(1, 81)]
    for instance in generated:
        (read,) = load(str(SHARED / "jsplib" / "instances" / instance.name))
        assert (read.durations, read.machines) == (instance.durations, instance.machines)


@needs_files
@pytest.mark.parametrize(("folder", "count"), [("jsplib/instances", 162), ("dmu", 80)])
def test_every_published_file_of_a_folder_reads(folder: str, count: int) -> None:
    instances = load(str(SHARED / folder))
    assert len({instance.name for instance in instances}) == count


def test_best_known_makespans_are_the_references() -> None:
    ta30 = load("taillard-20x20")[-1]
    assert (ta30.name, ta30.lower, ta30.upper, ta30.reference) == ("ta30", 1562, 1584, 1584)
    assert load("random-2x2")[0].reference is None


def test_every_listed_set_loads_at_its_size_under_unique_names() -> None:
    for described in sets.described():
        instances = load(described.name)
        assert len({instance.name for instance in instances}) == described.size


def test_no_two_sets_share_an_instance() -> None:
    seen: dict[object, str] = {}
    for described in sets.described():
        for instance in load(described.name):
            tables = instance.durations, instance.machines
            assert tables not in seen, f"{instance.name} is {seen[tables]}"
            seen[tables] = instance.name


def test_random_sets_exist_for_any_size_and_validation_sets_too() -> None:
    assert (load("random-3x7")[99].jobs, load("random-3x7")[0].machine_count) == (3, 7)
    assert load("validation-6x6") != load("random-6x6")


@pytest.mark.parametrize("name", ["random-0x5", "random-5", "taillard-7x7", "desing", ""])
def test_an_unknown_set_names_the_nearest_one(name: str) -> None:
    with pytest.raises(UnknownName, match=r"random-|design|taillard-"):
        Jssp().load(name)


def test_the_jsplib_reader_skips_comments_and_blank_lines() -> None:
    expected = Instance("x", ((5, 6, 7), (1, 0, 3)), ((0, 1, 2), (2, 0, 1)))
    assert read_jsplib(GOOD, "x") == expected


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "x: no line says"),
        ("# only this\n", "x: no line says"),
        ("2\n", "line 1: expected 2 numbers, found 1"),
        ("0 3\n", "line 1: a shop needs at least one job"),
        ("2 2\n0 1 1 1\n", "line 2: 2 jobs announced, 1 found"),
        ("1 2\n0 1 1 1\n0 1 1 1\n", "line 3: 1 jobs announced, 2 found"),
        ("1 2\n\n0 1 1\n", "line 3: expected 4 numbers, found 3"),
        ("1 2\n0 1 1 x\n", "line 2: expected whole numbers only"),
        ("1 2\n0 1 1 1.5\n", "line 2: expected whole numbers only"),
        ("1 2\n1 1 3 1\n", "line 2: a job must visit each machine from 1 to 2 once"),
        ("1 2\n0 1 0 1\n", "line 2: a job must visit each machine from 0 to 1 once"),
        ("1 2\n0 1 1 -1\n", "line 2: a duration is negative"),
        ("1 2\n0 1 1 99999999999999999999\n", "line 2: a duration is longer than 2147483647"),
    ],
)
def test_a_bad_file_is_refused_with_its_line(text: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        read_jsplib(text, "x")


TWO = Instance("x", ((3, 2), (2, 4)), ((0, 1), (1, 0)))
"""A shop of two jobs, which the texts below hold."""

OR_LIBRARY = """
 This file contains a set of 2 instances.
 +++++++++++++++++++++++++++++
 instance own1
 +++++++++++++++++++++++++++++
 Own 2x2 instance (table 1)
 2 2
 0  3 1  2
 1  2 0  4
 +++++++++++++++++++++++++++++
 instance own2
 +++++++++++++++++++++++++++++
 Another instance
 1 2
 1  2 0  4
 +++ the end +++
"""
TAILLARD = """Nb of jobs, Nb of Machines, Time seed, Machine seed, Upper bound, Lower bound
         2          2  840612802  398197754       7       6
Times
 3 2
 2 4
Machines
 1 2
 2 1
"""


@pytest.mark.parametrize(
    "text",
    [
        "2 2\n0 3 1 2\n1 2 0 4\n",
        "# own\n2 2 # jobs machines\n0 3 1 2 # first\n1 2 0 4\n",
        "2 2\n1 3 2 2\n2 2 1 4\n",
        "2 2\n3 2\n2 4\n1 2\n2 1\n",
    ],
)
def test_comments_machines_from_1_and_two_tables_are_read(text: str) -> None:
    (record,) = Jssp().read(File("x.txt", text.encode()))
    assert from_record(record) == TWO


def test_the_instances_of_or_librarys_file_are_read_with_their_names() -> None:
    first, second = map(from_record, Jssp().read(File("jobshop1.txt", OR_LIBRARY.encode())))
    assert first == replace(TWO, name="own1")
    assert second == Instance("own2", ((2, 4),), ((1, 0),))
    with pytest.raises(UserError, match="jobshop1, instance own1, line 2: expected 4 numbers"):
        Jssp().read(File("jobshop1.txt", OR_LIBRARY.replace("3 1  2", "3 1").encode()))


def test_taillards_files_are_read_with_their_upper_bound() -> None:
    (record,) = Jssp().read(File("x.txt", TAILLARD.encode()))
    assert from_record(record) == replace(TWO, upper=7)
    assert [r.name for r in Jssp().read(File("x.txt", 2 * TAILLARD.encode()))] == ["", ""]
    with pytest.raises(UserError, match="one of its instances is not complete"):
        Jssp().read(File("x.txt", (TAILLARD + TAILLARD.partition("Machines\n")[0]).encode()))
    with pytest.raises(UserError, match="its tables are not those of 2 jobs, 2 machines"):
        Jssp().read(File("x.txt", TAILLARD.replace(" 2 4", " 2").encode()))


def test_a_file_and_a_folder_load_by_path(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text(GOOD)
    (tmp_path / "a").write_text(GOOD)
    (tmp_path / "notes.md").write_text("not an instance")
    (tmp_path / "README").write_text("not an instance")
    (tmp_path / "graph").write_text("3 2\n1 2 1\n2 3 1\n")
    assert [i.name for i in Jssp().load(str(tmp_path))] == ["a", "b"]
    assert [i.name for i in Jssp().load(str(tmp_path / "b.txt"))] == ["b"]


def test_a_name_without_separator_is_a_path_when_it_exists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    assert Jssp().load("mine")[0].jobs == 2


def test_unreadable_paths_are_errors_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "empty").mkdir()
    for name, complaint in [
        ("binary", "binary: not a text file"),
        ("empty", "no instances of jssp"),
        ("gone", "no such"),
    ]:
        with pytest.raises(UserError, match=complaint):
            Jssp().load(str(tmp_path / name))


def test_shops_are_imported_with_their_best_known_makespans(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRECEPTOR_DATA", str(tmp_path / "data"))
    source = tmp_path / "classics"
    source.mkdir()
    (source / "b").write_text(GOOD)
    (source / "a").write_text("1 1\n0 4\n")
    bounds = [{"name": "a", "optimum": 4}, {"instance": "b", "upper_bound": 14}, {"name": 3}, 7]
    (source / "instances.json").write_text(json.dumps(bounds))
    (kept,) = import_path(source, None, [Jssp()]).sets
    assert (kept.name, kept.size) == ("classics", 2)
    a, b = Jssp().load("classics")
    assert (a.name, a.durations, a.reference) == ("a", ((4,),), 4)
    assert (b.durations, b.machines, b.reference) == (
        ((5, 6, 7), (1, 0, 3)),
        ((0, 1, 2), (2, 0, 1)),
        14,
    )


@pytest.mark.parametrize("base", [0, 1])
def test_the_arrays_of_l2d_are_shops(tmp_path: Path, base: int) -> None:
    shops = load("random-3x2")[:4]
    array = np.array([[i.durations, np.array(i.machines) + base] for i in shops])
    np.save(tmp_path / "some.npy", array)
    read = load(str(tmp_path / "some.npy"))
    assert [(i.durations, i.machines) for i in read] == [(i.durations, i.machines) for i in shops]
    assert read[3].name == "some/3"


@pytest.mark.parametrize(
    ("array", "complaint"),
    [
        (np.zeros((4, 2)), "an array of 4 x 2; job shops are"),
        (np.zeros((1, 2, 1, 2), int), "job 1: a job must visit each machine from 0 to 1 once"),
        (np.array([[[[-1]], [[0]]]]), "a duration is negative"),
    ],
)
def test_other_arrays_are_refused_in_words(
    tmp_path: Path, array: np.ndarray[Any, Any], complaint: str
) -> None:
    np.save(tmp_path / "x.npy", array)
    with pytest.raises(UserError, match=complaint):
        load(str(tmp_path / "x.npy"))


STARTS = st.sampled_from(["", "2 2\n", OR_LIBRARY[:150], TAILLARD[:110], TAILLARD])


@given(STARTS, st.binary(max_size=80), st.sampled_from(["a", "a.txt", "a.npy"]))
def test_no_file_does_worse_than_be_refused(start: str, content: bytes, name: str) -> None:
    with suppress(UserError):
        Jssp().read(File(name, start.encode() + content))
