"""TSPLIB's distances of every kind: exact, refused in words, and shown under a variant alone."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from problems.base import rollout
from problems.errors import UserError
from problems.sets.files import File, read_path
from problems.sets.imports import import_path
from problems.tsp.instances import PI, RADIUS, Instance, as_record, build_matrix, from_record
from problems.tsp.problem import Tsp, build
from problems.tsp.state import picture, start, visit
from tests.problems.conftest import SHARED
from tests.problems.programs import compiled

PROBLEM = Tsp()
GIVEN = build(distances="tsplib")
BURMA = """NAME: burma14
TYPE: TSP
DIMENSION: 14
EDGE_WEIGHT_TYPE: GEO
EDGE_WEIGHT_FORMAT: FUNCTION
NODE_COORD_SECTION
   1  16.47       96.10
   2  16.47       94.44
   3  20.09       92.54
   4  22.39       93.37
   5  25.23       97.24
   6  22.00       96.05
   7  20.47       97.02
   8  17.20       96.29
   9  16.30       97.38
  10  14.05       98.12
  11  16.53       97.38
  12  21.52       95.59
  13  19.41       97.13
  14  20.09       94.55
EOF
"""
BURMA_OPTIMAL = (1, 2, 14, 3, 4, 5, 6, 12, 7, 13, 8, 11, 9, 10)
"""A tour of the optimal length that TSPLIB publishes."""

TABLE = "NAME: t\nTYPE: TSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: {}\n"
PARTS = {
    "FULL_MATRIX": "9 1 2 3  1 9 4 5  2 4 9 6  3 5 6 9",
    "UPPER_ROW": "1 2 3 4 5 6",
    "UPPER_DIAG_ROW": "0 1 2 3 0 4 5 0 6 0",
    "LOWER_ROW": "1 2 4 3 5 6",
    "LOWER_DIAG_ROW": "0 1 0 2 4 0 3 5 6 0",
    "UPPER_COL": "1 2 4 3 5 6",
    "LOWER_COL": "1 2 3 4 5 6",
    "UPPER_DIAG_COL": "0 1 0 2 4 0 3 5 6 0",
    "LOWER_DIAG_COL": "0 1 2 3 0 4 5 0 6 0",
}
"""The same four nodes in every format."""

CANONICAL = {"pcb442": 221440, "gr666": 423710, "att532": 309636}
"""Lengths of the tours 1, 2, ..., n that TSPLIB publishes so that programs can be checked."""


def table(kind: str = "UPPER_ROW", numbers: str = PARTS["UPPER_ROW"], rest: str = "EOF\n") -> File:
    """A file of four nodes with a table."""
    return File("t.tsp", (TABLE.format(kind) + f"EDGE_WEIGHT_SECTION\n{numbers}\n{rest}").encode())


def instance_of(file: File) -> Instance:
    """The one instance of a file, as the variant loads it."""
    (record,) = PROBLEM.read(file)
    return from_record(record)


def geographical(one: tuple[float, float], other: tuple[float, float]) -> int:
    """TSPLIB's GEO as its text has it, number by number."""
    (lat, lon), (lat2, lon2) = (
        [PI * (int(x) + 5.0 * (x - int(x)) / 3.0) / 180.0 for x in point] for point in (one, other)
    )
    q1, q2, q3 = math.cos(lon - lon2), math.cos(lat - lat2), math.cos(lat + lat2)
    return int(RADIUS * math.acos(0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3)) + 1.0)


def test_an_optimal_tour_has_the_published_length() -> None:
    instance = instance_of(File("burma14.tsp", BURMA.encode()))
    assert instance.length([node - 1 for node in BURMA_OPTIMAL]) == 3323.0


def test_geographical_distances_are_those_of_the_text_for_every_pair() -> None:
    instance = instance_of(File("burma14.tsp", BURMA.encode()))
    matrix = build_matrix(instance)
    for i, one in enumerate(instance.points):
        for j, other in enumerate(instance.points):
            assert matrix[i, j] == (geographical(one, other) if i != j else 0)
            assert instance.distance(i, j) == matrix[i, j]


def test_rounding_up_and_att_follow_their_rules() -> None:
    points = ((0.0, 0.0), (3.0, 4.0), (1.0, 1.0), (0.0, 10.0))
    ceiled = build_matrix(Instance("c", points, metric="CEIL_2D"))
    assert ceiled[0].tolist() == [0, 5, 2, 10]
    att = build_matrix(Instance("a", points, metric="ATT"))
    assert att[0].tolist() == [0, 2, 1, 4]  # roots 1.58, 0.45, 3.16: never rounded down
    broken = ((0.0, 0.0), (3.4, -4.4), (0.5, 0.0))
    assert build_matrix(Instance("m", broken, metric="MAN_2D"))[0].tolist() == [0, 8, 1]
    assert build_matrix(Instance("m", broken, metric="MAX_2D"))[0].tolist() == [0, 4, 1]


@pytest.mark.parametrize("kind", PARTS)
def test_tables_of_every_format_are_the_same_distances(kind: str) -> None:
    instance = instance_of(table(kind, PARTS[kind]))
    assert build_matrix(instance).tolist() == [
        [0, 1, 2, 3],
        [1, 0, 4, 5],
        [2, 4, 0, 6],
        [3, 5, 6, 0],
    ]
    assert instance.points == ()
    assert instance.length([0, 1, 2, 3]) == 14.0


def test_nodes_for_show_are_shown_and_no_distances_follow_from_them() -> None:
    rest = "DISPLAY_DATA_SECTION\n1 0 0\n2 0 9\n3 9 0\n4 9 9\nEOF\n"
    instance = instance_of(table(rest=rest))
    assert instance.points == ((0, 0), (0, 9), (9, 0), (9, 9))
    assert instance.distance(0, 1) == 1.0
    assert len(picture(start(instance)).splitlines()) > 20


def test_a_state_without_coordinates_is_shown_in_words() -> None:
    state = visit(start(instance_of(table())), 2)
    assert picture(state).startswith("2 of 4 visited, length 2\n")
    assert len(picture(state).split("\n")) == 2


@pytest.mark.parametrize(
    ("file", "complaint"),
    [
        (table("SIDEWAYS"), "expected distances as FULL_MATRIX.*found SIDEWAYS"),
        (table(numbers="1 2 3 4 5"), "5 distances, but UPPER_ROW of 4 nodes has 6"),
        (table(numbers="1 2 3 4 5 six"), "its distances are not numbers"),
        (table(numbers="1 2 3 4 5 nan"), "not all numbers from 0 on"),
        (table(numbers="1 2 3 4 5 -6"), "not all numbers from 0 on"),
        (table("FULL_MATRIX", "0 1 2 3 1 0 4 5 2 4 0 6 3 5 7 0"), "depend on the direction"),
        (File("t.tsp", TABLE.format("UPPER_ROW").encode()), "0 distances"),
        (
            File("t.tsp", BURMA.partition("NODE_")[0].encode()),
            "not the 14 announced: NODE_COORD_SECTION has 0",
        ),
        (File("t.tsp", b"DIMENSION: " + b"9" * 5000), "expected a TSP"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_words(file: File, complaint: str) -> None:
    with pytest.raises(UserError, match=rf"t.tsp: .*{complaint}"):
        PROBLEM.read(file)


LINE = "NODE_COORD_SECTION\n"


@pytest.mark.parametrize(
    "content",
    [
        BURMA.replace(LINE, "NODE_COORD_SECTION :\n"),
        BURMA.replace("DIMENSION: 14\n", "").replace("EOF", "DIMENSION: 14"),
        BURMA.replace("GEO", "GEO (degrees)").replace("14\nEDGE", "14 nodes\nEDGE"),
        BURMA.replace("burma14", "n\nCOMMENT: St\u00e4dte").encode("latin-1"),
        BURMA.replace("\n", "\r"),
        BURMA.replace("\n", "\n\n"),
        BURMA.replace("   1  16.47", "\nEOF\n# the first\n01 16.47").lower(),
    ],
)
def test_files_are_read_whatever_their_order_and_layout(content: str | bytes) -> None:
    encoded = content.encode() if isinstance(content, str) else content
    found = instance_of(File("burma14.tsp", encoded))
    assert found == instance_of(File("burma14.tsp", BURMA.encode()))


def test_nodes_are_those_announced_and_constraints_are_refused_by_name() -> None:
    for text, complaint in (
        (BURMA.replace("DIMENSION: 14", "DIMENSION: 3"), "not the 3 announced.* has 14"),
        (BURMA.replace("EOF", LINE + "1 0 0"), "NODE_COORD_SECTION is there twice"),
        (BURMA.replace("EOF", "FIXED_EDGES_SECTION\n1 2\n-1"), "stood: FIXED_EDGES_SECTION;"),
        (BURMA.replace("TYPE", "TIME_LIMIT: 9\nTYPE", 1), "not understood: TIME_LIMIT;"),
        (BURMA.replace("TYPE", "NODE_COORD_TYPE: THREED_COORDS\nTYPE", 1), "NODE_COORD_TYPE"),
    ):
        with pytest.raises(UserError, match=rf"t.tsp: .*{complaint}"):
            PROBLEM.read(File("t.tsp", text.encode()))


def test_other_distances_are_refused_without_the_variant(tmp_path: Path) -> None:
    (tmp_path / "burma14.tsp").write_text(BURMA)
    with pytest.raises(UserError, match=r"burma14 are GEO, not Euclid.*tsp.distances=tsplib"):
        PROBLEM.load(str(tmp_path / "burma14.tsp"))
    (instance,) = GIVEN.load(str(tmp_path / "burma14.tsp"))
    assert instance.metric == "GEO"
    with pytest.raises(UserError, match="distances must be 'plane' or 'tsplib', not 'geo'"):
        build(distances="geo")


def test_a_set_of_all_kinds_is_kept_and_comes_back(tmp_path: Path, data_folder: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "burma14.tsp").write_text(BURMA)
    (folder / "plane.tsp").write_text(BURMA.replace("GEO", "EUC_2D").replace("16.47", "99.9"))
    (folder / "t.tsp").write_bytes(table().content)
    (folder / "solutions").write_text("burma14 : 3323\n")
    import_path(folder, "mine", [PROBLEM])
    burma, plane, explicit = GIVEN.load("mine")
    assert (burma.name, burma.metric, burma.reference) == ("burma14", "GEO", 3323.0)
    assert (plane.metric, plane.rounded, len(plane.points)) == ("", True, 14)
    assert (explicit.metric, explicit.size, explicit.weights) == (
        "EXPLICIT",
        4,
        (1, 2, 3, 4, 5, 6),
    )
    for instance in (burma, plane, explicit):
        assert from_record(as_record(instance)).weights == instance.weights
        assert pickle.loads(pickle.dumps(instance)) == instance


def test_a_program_is_measured_by_the_distances_it_sees() -> None:
    seed = compiled(GIVEN.seeds()[0].code or "")
    instance = instance_of(File("burma14.tsp", BURMA.encode()))
    found = rollout(GIVEN, seed, instance)
    assert found.cost == GIVEN.replay(instance, found.actions)
    assert 3323 <= found.cost == int(found.cost)


def test_the_contract_says_what_the_distances_are() -> None:
    text = GIVEN.contract.text()
    assert "rule of TSPLIB" in text
    assert "Euclidean" not in text
    assert "in the plane" not in text


HEADS = st.sampled_from(["", BURMA, TABLE.format("LOWER_DIAG_ROW"), TABLE.format("FULL_MATRIX")])


@given(head=HEADS, cut=st.integers(0, 700), tail=st.binary(max_size=200))
@settings(max_examples=150, derandomize=True)
def test_whatever_a_file_holds_is_read_or_refused(head: str, cut: int, tail: bytes) -> None:
    file = File("any.tsp", head[:cut].encode() + tail)
    try:
        records = PROBLEM.read(file)
    except UserError as error:
        assert str(error).startswith("any.tsp: ")
    else:
        assert np.isfinite(build_matrix(from_record(records[0]))).all()


FIXED = "linhp318"
"""The one instance of TSPLIB with a constraint: an edge that every tour has to take."""


@pytest.fixture(scope="module")
def library() -> dict[str, Instance]:
    """TSPLIB by name."""
    if not SHARED.exists():
        pytest.skip("the benchmark files are not here")
    files = read_path(SHARED / "tsplib" / "tsplib_sym_le5000.zip")
    return {file.stem: instance_of(file) for file in files if file.stem != FIXED}


def test_all_files_of_tsplib_are_read(library: dict[str, Instance]) -> None:
    assert len(library) == 100
    kinds = [instance.metric for instance in library.values()]
    counted = {kind: kinds.count(kind) for kind in sorted(set(kinds))}
    assert counted == {"": 70, "ATT": 2, "CEIL_2D": 1, "EXPLICIT": 17, "GEO": 10}


@pytest.mark.parametrize("name", CANONICAL)
def test_tours_in_order_are_as_long_as_published(library: dict[str, Instance], name: str) -> None:
    instance = library[name]
    found = Instance(name, instance.points, not instance.metric, metric=instance.metric)
    assert found.length(range(found.size)) == CANONICAL[name]


def test_dantzigs_tour_of_42_cities_is_optimal_in_order(library: dict[str, Instance]) -> None:
    assert library["dantzig42"].length(range(42)) == 699.0
