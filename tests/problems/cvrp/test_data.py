"""Vehicle routing instances: arrays, generated sets, and files that are read."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from problems.base import rollout
from problems.cvrp import instances as sets
from problems.cvrp.instances import as_record, build_arrays, from_record
from problems.cvrp.problem import Cvrp, build
from problems.cvrp.references import hgs
from problems.errors import UnknownName, UserError
from problems.sets.files import File
from problems.sets.library import fingerprint
from problems.sets.references import read as read_references
from tests.problems.programs import compiled

PROBLEM = Cvrp()
TEXT = """NAME : anything
COMMENT : (three customers: a, b, c)
TYPE : CVRP
DIMENSION : 4
EDGE_WEIGHT_TYPE : EUC_2D
CAPACITY : 10
NODE_COORD_SECTION
1 0 0
 2 3.0e+01 0
3\t30\t40.5
4 -7 1
DEMAND_SECTION
1 0
2 4
3 10
4 5
DEPOT_SECTION
 1
 -1
EOF
"""
COORDS = np.array([[[0, 0], [0.5, 0], [0.5, 0.25]], [[1, 1], [0, 1], [0, 0]]], dtype=np.float64)
ARRAYS = {"coords": COORDS, "demands": np.array([[0, 3, 4], [0, 1, 9]]), "capacity": [9, 9]}
WORDS = (
    "['name', 'A-n3-k1', 'depot', 0, 0.5, 'customer', 1, 2, 3, 4, 'demand', 0, 5, 6, "
    "'capacity', 10, 'cost', 17, 'end']"
)
COMMAS = (
    "depot,0.0,0.5,customer,1.0,2.0,3.0,4.0,capacity,10.0,demand,5,6,cost,17.5,node_flag,1,2,1,0"
)


def named(name: str, content: bytes | str) -> File:
    """A file with this content."""
    return File(name, content.encode() if isinstance(content, str) else content)


def archive(folder: Path, **arrays: Any) -> File:
    """A NumPy archive."""
    np.savez(folder / "set.npz", **arrays)
    return named("set.npz", (folder / "set.npz").read_bytes())


@pytest.mark.parametrize("rounded", ["false", "true"])
def test_the_arrays_hold_what_single_numbers_say(tmp_path: Path, rounded: str) -> None:
    (tmp_path / "four.vrp").write_text(TEXT)
    (instance,) = build(nint=rounded).load(str(tmp_path / "four.vrp"))
    matrix, demands = build_arrays(instance)
    nodes = range(instance.size)
    assert matrix.tolist() == [[instance.distance(i, j) for j in nodes] for i in nodes]
    assert demands.tolist() == [0, 4, 10, 5] == list(instance.demands)
    assert instance.distance(1, 2) == (41.0 if rounded == "true" else 40.5)
    assert instance.length([0, 1, 2, 0]) == sum(
        instance.distance(*leg) for leg in ((0, 1), (1, 2), (2, 0))
    )


def test_rounded_distances_in_the_unit_square_are_refused() -> None:
    with pytest.raises(UserError, match="too close together"):
        build(nint="true").load("cvrp50")


@pytest.mark.parametrize("name", ["design", "selection", "design-64"])
def test_half_of_a_design_set_has_a_centre_depot_and_half_any_depot_and_capacity(
    name: str,
) -> None:
    """By turns; once all of the first half came first."""
    design = PROBLEM.load(name)
    half = len(design) // 2
    centre, others = design[::2], design[1::2]
    if name == "design-64":
        centre, others = design[:half], design[half:]
    assert {(one.points[0], one.capacity) for one in centre} == {((0.5, 0.5), 50)}
    assert len({one.points[0] for one in others}) == half
    assert min(one.capacity for one in others) >= 30 < 60 < max(one.capacity for one in others)
    assert max(one.capacity for one in others) <= 80
    assert [one.name for one in design] == [f"{name}/{index}" for index in range(2 * half)]


def test_customers_of_generated_sets_lie_in_the_unit_square_and_want_1_to_9() -> None:
    for name, customers, capacity in (("cvrp50", 50, 50), ("cvrp200", 200, 80)):
        instances = PROBLEM.load(name)
        assert {one.size for one in instances} == {customers + 1}
        assert {one.capacity for one in instances} == {capacity}
        demands = [demand for one in instances for demand in one.demands[1:]]
        assert set(demands) == set(range(1, 10))
        places = np.array([one.points for one in instances])
        assert 0 <= places.min() < 0.001 and 0.999 < places.max() < 1
        assert not any(one.demands[0] for one in instances)


def test_cvrp200_holds_the_instances_of_another_file_of_lehds() -> None:
    first = PROBLEM.load("cvrp200")[0]
    assert first.points[:2] == (
        (0.1915194503788923, 0.6221087710398319),
        (0.18326634939267783, 0.7974113080911386),
    )
    assert first.demands[1:9] == (4, 5, 5, 4, 3, 1, 2, 9)


def test_generated_sets_exist_for_any_number_of_customers_and_follow_the_options() -> None:
    assert {(i.size, i.capacity) for i in PROBLEM.load("random-7")} == {(8, 50)}
    other = build(capacity="40", depot="random").load("random-7")
    assert {i.capacity for i in other} == {40} and len({i.points[0] for i in other}) == 100
    assert other[0].points[1:] == PROBLEM.load("random-7")[0].points[1:]
    assert build(capacity="40").load("cvrp50") == PROBLEM.load("cvrp50")


def test_generated_sets_ship_with_reference_routes_of_these_very_instances() -> None:
    known = read_references(Path(hgs.__file__).parent)
    generated = {"design", "selection", "design-64", "cvrp50", "cvrp200"}
    assert generated <= known.keys()
    for name, references in known.items():
        instances = PROBLEM.load(name)
        assert fingerprint(list(map(as_record, instances))) == references.content
        assert tuple(instance.reference for instance in instances) == references.objectives


def test_references_are_shorter_than_what_a_seed_reaches() -> None:
    seed = compiled(PROBLEM.seeds()[-1].code or "")
    for instance in PROBLEM.load("cvrp50")[:20]:
        assert instance.reference is not None
        assert instance.reference < rollout(PROBLEM, seed, instance).cost


@pytest.mark.parametrize("name", ["random-1", "random-5001", "random-05", "desing", "cvrp51", ""])
def test_an_unknown_set_names_the_nearest_one(name: str, data_folder: Path) -> None:
    with pytest.raises(UnknownName, match=r"random|design|cvrp50"):
        PROBLEM.load(name)


def test_a_set_that_is_not_imported_says_what_to_type(data_folder: Path) -> None:
    with pytest.raises(UserError, match=r"`preceptor data fetch vrplib`.*`preceptor data import"):
        PROBLEM.load("vrplib")


def test_a_folder_loads_by_path_with_the_costs_of_its_solutions(tmp_path: Path) -> None:
    (tmp_path / "b.vrp").write_text(TEXT)
    (tmp_path / "a.vrp").write_text(TEXT)
    (tmp_path / "b.sol").write_text("Route #1: 1 2\nRoute #2: 3\nCost 121\n")
    loaded = PROBLEM.load(str(tmp_path))
    assert [(i.name, i.reference) for i in loaded] == [("a", None), ("b", 121.0)]


def test_a_cvrplib_file_keeps_its_order_and_node_1_is_the_depot() -> None:
    (record,) = PROBLEM.read(named("some/X-n4-k2.vrp", TEXT))
    assert record.name == "X-n4-k2"
    assert record.tables["coords"].tolist() == [[0, 0], [30, 0], [30, 40.5], [-7, 1]]
    assert record.tables["demands"].tolist() == [0, 4, 10, 5]
    assert record.tables["capacity"].tolist() == [10]
    assert record.tables["demands"].dtype == record.tables["capacity"].dtype == np.int64


SECTIONS = TEXT.partition("DEPOT_SECTION")[0]
DEPOT = "DEPOT_SECTION\n1\n-1\n"


@pytest.mark.parametrize(
    "content",
    [
        TEXT.replace("_SECTION", "_SECTION :"),
        TEXT.replace("DEMAND_", DEPOT + "DEMAND_", 1).removesuffix("DEPOT_SECTION\n 1\n -1\nEOF\n")
        + "EOF\n",
        SECTIONS + "EOF",
        SECTIONS + "DEPOT_SECTION\n 1 -1 EOF\n",
        TEXT.replace("CAPACITY : 10\n", "").replace("EOF", "EOF\nCAPACITY : 10"),
        TEXT.replace("TYPE : CVRP", "TYPE : CVRP (own)").replace(": 4", ": 4 nodes"),
        TEXT.replace("1 0\n2 4\n3 10\n4 5", "4 5\n1 0\n3 10\n2 4"),
        TEXT.replace("three", "trois, \u00e0 c\u00f4t\u00e9").encode("latin-1"),
        TEXT.replace("\n", "\r"),
        TEXT.replace("\n", "\n\n# between\n"),
    ],
)
def test_cvrplib_files_are_read_whatever_their_order_and_layout(content: bytes | str) -> None:
    (record,) = PROBLEM.read(named("a.vrp", content))
    assert fingerprint([record]) == fingerprint(PROBLEM.read(named("a.vrp", TEXT)))


def test_the_depot_is_the_node_that_is_named() -> None:
    text = TEXT.replace("1 0\n2 4", "1 4\n2 0").replace(" 1\n -1", " 2\n -1")
    (record,) = PROBLEM.read(named("a.vrp", text))
    assert record.tables["coords"].tolist() == [[30, 0], [0, 0], [30, 40.5], [-7, 1]]
    assert record.tables["demands"].tolist() == [0, 4, 10, 5]


@pytest.mark.parametrize(
    ("line", "named_word"),
    [
        ("DISTANCE : 200\n", "DISTANCE"),
        ("distance : 200\nSERVICE_TIME : 10\n", "DISTANCE, SERVICE_TIME"),
        ("DISTANCE 200\n", "DISTANCE"),
        ("VEHICLES : 2\n", "VEHICLES"),
        ("No of trucks: 2\n", "NO OF TRUCKS"),
        ("TIME_WINDOW_SECTION\n1 0 9\n", "TIME_WINDOW_SECTION"),
        ("EDGE_WEIGHT_SECTION\n1 2 3\n", "EDGE_WEIGHT_SECTION"),
    ],
)
def test_what_could_be_a_constraint_is_refused_by_name(line: str, named_word: str) -> None:
    for text in (TEXT.replace("NODE_", line + "NODE_", 1), TEXT.replace("EOF\n", line)):
        with pytest.raises(UserError, match=rf"a\.vrp: not understood: {named_word};"):
            PROBLEM.read(named("a.vrp", text))


@given(cut=st.integers(0, 400), tail=st.binary(max_size=100))
@settings(max_examples=60, deadline=None)
def test_whatever_a_file_holds_is_read_or_refused(cut: int, tail: bytes) -> None:
    try:
        records = PROBLEM.read(named("any.vrp", TEXT[:cut].encode() + tail))
    except UserError as error:
        assert str(error).startswith("any.vrp: ")
    else:
        assert np.isfinite(build_arrays(from_record(records[0]))[0]).all()


def test_archives_hold_many_instances_and_their_best_lengths(tmp_path: Path) -> None:
    first, second = PROBLEM.read(archive(tmp_path, **ARRAYS, ref_x=np.array([1.5, 3.0])))
    assert (first.name, first.reference, second.reference) == ("", 1.5, 3.0)
    assert second.tables["coords"].tolist() == COORDS[1].tolist()
    assert second.tables["demands"].tolist() == [0, 1, 9]


def test_lines_with_commas_and_lists_of_words_hold_the_same_instance() -> None:
    (listed,) = PROBLEM.read(named("set.txt", WORDS))
    (line,) = PROBLEM.read(named("set.txt", COMMAS))
    assert (listed.name, listed.reference) == ("A-n3-k1", 17.0)
    assert (line.name, line.reference) == ("", 17.5)
    assert fingerprint([listed]) == fingerprint([line])
    assert line.tables["coords"].tolist() == [[0, 0.5], [1, 2], [3, 4]]
    assert line.tables["demands"].tolist() == [0, 5, 6]


def test_cvrplib_instances_that_the_paper_leaves_out_are_left_out() -> None:
    names = "A-n32-k5", "X-n1001-k43", "P-n55-k7", "P-n55-k8", "Golden_1", "XML100_1111_01"
    (record,) = PROBLEM.read(named("four.vrp", TEXT))
    kept = [name for name in names if sets.in_vrplib192(dataclasses.replace(record, name=name))]
    assert kept == ["A-n32-k5", "X-n1001-k43", "P-n55-k7"]


def test_what_is_read_is_what_a_set_is_made_of() -> None:
    (record,) = PROBLEM.read(named("four.vrp", TEXT))
    assert fingerprint([as_record(from_record(record))]) == fingerprint([record])


@pytest.mark.parametrize("name", ["notes.md", "set.txt", "graph.tsp"])
def test_files_of_another_kind_hold_nothing(name: str) -> None:
    assert not PROBLEM.read(named(name, "some words"))


def test_archives_of_other_problems_hold_nothing(tmp_path: Path) -> None:
    assert not PROBLEM.read(archive(tmp_path, coords=COORDS))


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.vrp", TEXT.replace("EUC_2D", "EXPLICIT"), "found CVRP with EXPLICIT"),
        ("a.vrp", TEXT.replace("TYPE : CVRP", "TYPE : VRPTW"), "expected a CVRP .* found VRPTW"),
        ("a.vrp", TEXT.replace(" 1\n -1", " 9\n -1"), "no node 9, which is to be the depot"),
        ("a.vrp", TEXT.replace(" 1\n -1", " 1\n 2\n -1"), "expected one depot, found 1, 2"),
        ("a.vrp", TEXT.replace("DIMENSION : 4", "DIMENSION : 5"), "not the 5 announced"),
        ("a.vrp", TEXT.replace("30\t40.5", "30"), "not a node and 2 values"),
        ("a.vrp", TEXT.replace("4 -7 1", "5 -7 1"), "DEMAND_SECTION are not those"),
        ("a.vrp", TEXT.replace("4 5\n", ""), "DEMAND_SECTION has 3"),
        ("a.vrp", TEXT.replace("4 5\n", "4\n"), "not a node and 1 values"),
        ("a.vrp", TEXT.replace("40.5", "x"), "not numbers"),
        ("a.vrp", TEXT.replace("4 -7 1", "4 -7 1\n4 -7 1"), "has node 4 twice"),
        ("a.vrp", TEXT.replace("EOF", DEPOT), "DEPOT_SECTION is there twice"),
        ("a.vrp", TEXT.replace("EOF", "CAPACITY : 12"), "CAPACITY is 10 and 12"),
        ("a.vrp", TEXT.replace("40.5", "nan"), "not points"),
        ("a.vrp", TEXT.replace("3 10", "3 11"), "from 0 to the capacity"),
        ("a.vrp", TEXT.replace("3 10", "3 9.5"), "whole numbers"),
        ("a.vrp", TEXT.replace("3 10", "3 -1"), "from 0"),
        ("a.vrp", TEXT.replace("3 10", "3 nan"), "whole numbers"),
        ("a.vrp", TEXT.replace("3 10", "3 inf"), "whole numbers"),
        ("a.vrp", TEXT.replace("CAPACITY : 10", "CAPACITY : 1e99"), "whole numbers"),
        ("a.vrp", TEXT.replace("1 0\n2 4", "1 1\n2 4"), "and 0 for the depot"),
        ("a.vrp", TEXT.replace("CAPACITY : 10\n", ""), "not numbers"),
        ("a.vrp", "", "expected a CVRP with EUC_2D"),
        ("a.vrp", b"\xff\xfe\x00", "not a text file"),
        ("a.npz", b"PK\x03\x04 broken", "not a NumPy archive"),
        ("a.txt", WORDS.replace("'capacity', 10", "'capacity'"), "inconsistent"),
        ("a.txt", WORDS.replace(", 'end']", ""), "inconsistent"),
        ("a.txt", COMMAS.replace("cost,17.5", "cost,x"), "inconsistent"),
    ],
)
def test_a_bad_file_is_refused_with_its_name(
    name: str, content: bytes | str, complaint: str
) -> None:
    with pytest.raises(UserError, match=rf"{name}: .*({complaint})"):
        PROBLEM.read(named(name, content))
