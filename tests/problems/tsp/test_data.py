"""Travelling salesman instances: distances, generated sets, and files that are read."""

from __future__ import annotations

import math
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from problems.base import rollout
from problems.errors import UnknownName, UserError
from problems.sets.files import File
from problems.sets.library import fingerprint
from problems.sets.references import read as read_references
from problems.tsp.instances import as_record, build_matrix
from problems.tsp.problem import Tsp, build
from problems.tsp.references import lkh
from tests.problems.programs import compiled
from tests.problems.tours import plane

PROBLEM = Tsp()
TEXT = """NAME : anything
COMMENT : three nodes: a, b, c
TYPE : TSP
DIMENSION: 3
EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0 0
 2 3.0e+01 0
3 30 40.5
EOF
"""
COORDS = np.array([[[0, 0], [0.5, 0], [0.5, 0.25]], [[1, 1], [0, 1], [0, 0]]], dtype=np.float64)


def named(name: str, content: bytes | str) -> File:
    """A file with this content."""
    return File(name, content.encode() if isinstance(content, str) else content)


def archive(folder: Path, **arrays: Any) -> File:
    """A NumPy archive."""
    np.savez(folder / "set.npz", **arrays)
    return named("set.npz", (folder / "set.npz").read_bytes())


def test_distances_are_euclidean_and_unrounded() -> None:
    instance = plane((0, 0), (3, 4), (1, 1))
    assert build_matrix(instance)[:2].tolist() == [[0, 5, 2**0.5], [5, 0, 13**0.5]]
    assert instance.length([0, 1, 2]) == math.fsum([5, 13**0.5, 2**0.5])


def test_rounded_distances_are_those_of_tsplib(tmp_path: Path) -> None:
    (tmp_path / "three.tsp").write_text(TEXT)
    (instance,) = build(nint="true").load(str(tmp_path / "three.tsp"))
    assert build_matrix(instance).tolist() == [[0, 30, 50], [30, 0, 41], [50, 41, 0]]
    assert instance.distance(1, 2) == 41.0
    assert instance.length([2, 0, 1]) == 121.0


@pytest.mark.parametrize("rounded", ["false", "true"])
def test_the_matrix_is_bit_for_bit_that_of_single_distances(tmp_path: Path, rounded: str) -> None:
    coords = np.random.RandomState(1).random_sample((1, 300, 2)) * 100
    archive(tmp_path, coords=coords)
    (instance,) = build(nint=rounded).load(str(tmp_path / "set.npz"))
    size = range(instance.size)
    expected = [[instance.distance(i, j) for j in size] for i in size]
    assert build_matrix(instance).tolist() == expected


def test_rounded_distances_in_the_unit_square_are_refused() -> None:
    with pytest.raises(UserError, match="too close together"):
        build(nint="true").load("tsp50")


def test_sets_ship_with_reference_tours_of_these_very_instances() -> None:
    references = read_references(Path(lkh.__file__).parent)
    own = {"design", "selection", "design-64"}
    assert references.keys() == own | {"tsp50", "tsp200", "tsp50-paper"}
    paper = references.pop("tsp50-paper")
    assert paper.content == PROBLEM.published()[0].content
    for name, known in references.items():
        instances = PROBLEM.load(name)
        assert fingerprint(list(map(as_record, instances))) == known.content
        assert tuple(instance.reference for instance in instances) == known.objectives


def test_references_are_shorter_than_what_a_seed_reaches() -> None:
    seed = compiled(PROBLEM.seeds()[-1].code or "")
    for instance in PROBLEM.load("tsp50")[:20]:
        assert instance.reference is not None
        assert instance.reference < rollout(PROBLEM, seed, instance).cost


def test_generated_sets_exist_for_any_size() -> None:
    assert {instance.size for instance in PROBLEM.load("tsp7")} == {7}
    assert PROBLEM.load("tsp7")[0].name == "tsp7/0"
    assert PROBLEM.load("tsp7")[0].reference is None


@pytest.mark.parametrize("name", ["tsp2", "tsp10001", "tsp05", "desing", ""])
def test_an_unknown_set_names_the_nearest_one(name: str, data_folder: Path) -> None:
    with pytest.raises(UnknownName, match=r"tsp|design"):
        PROBLEM.load(name)


def test_a_set_that_is_not_imported_says_what_to_type(data_folder: Path) -> None:
    with pytest.raises(UserError, match=r"`preceptor data fetch tsplib`.*`preceptor data import"):
        PROBLEM.load("tsplib")


def test_a_folder_loads_by_path(tmp_path: Path) -> None:
    (tmp_path / "b.tsp").write_text(TEXT)
    (tmp_path / "a.tsp").write_text(TEXT)
    (tmp_path / "solutions").write_text("b : 121\n")
    (tmp_path / "notes.md").write_text("not an instance")
    loaded = PROBLEM.load(str(tmp_path))
    assert [(i.name, i.reference) for i in loaded] == [("a", None), ("b", 121.0)]
    with pytest.raises(UserError, match=r"nowhere: no such file or folder"):
        PROBLEM.load(str(tmp_path / "nowhere"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="no instances of tsp"):
        PROBLEM.load(str(tmp_path / "empty"))


def test_a_tsplib_file_is_called_like_the_file_and_keeps_its_order() -> None:
    (record,) = PROBLEM.read(named("some/berlin3.tsp", TEXT))
    assert record.name == "berlin3"
    assert record.tables["coords"].tolist() == [[0, 0], [30, 0], [30, 40.5]]


def test_archives_hold_many_instances_and_their_best_tours(tmp_path: Path) -> None:
    first, second = PROBLEM.read(archive(tmp_path, coords=COORDS, ref_x=np.array([1.5, 3.0])))
    assert (first.name, first.reference, second.reference) == ("", 1.5, 3.0)
    assert second.tables["coords"].tolist() == COORDS[1].tolist()
    (bare, _) = PROBLEM.read(archive(tmp_path, coords=COORDS))
    assert bare.reference is None


def test_lines_of_coordinates_and_a_best_tour_are_read() -> None:
    line = "0.0 0.0 0.5 0.0 0.5 0.25 output 1 3 2 1"
    (record,) = PROBLEM.read(named("set.txt", line))
    assert record.tables["coords"].tolist() == COORDS[0].tolist()
    assert record.reference == 0.5 + 0.25 + 0.3125**0.5


def test_lists_of_words_are_read() -> None:
    lines = (
        "['a3', '7', '0', '0', '3', '0', '3', '4.5']\n['b3', '8', '0', '0', '1', '0', '2', '2']"
    )
    first, second = PROBLEM.read(named("set.txt", lines))
    assert (first.name, first.reference, second.name) == ("a3", 7.0, "b3")
    assert first.tables["coords"].tolist() == [[0, 0], [3, 0], [3, 4.5]]


def test_pickled_pairs_of_coordinates_and_distances_are_read() -> None:
    pairs = [(coords, np.zeros((3, 3))) for coords in COORDS]
    records = PROBLEM.read(named("set.pkl", pickle.dumps(pairs)))
    assert [r.tables["coords"].tolist() for r in records] == COORDS.tolist()


@pytest.mark.parametrize("value", [[1, 2], [COORDS], "text", {1: 2}, [(1, 2, 3)], COORDS[0]])
def test_pickles_of_something_else_hold_nothing(value: object) -> None:
    assert PROBLEM.read(named("set.pkl", pickle.dumps(value))) == []


@pytest.mark.parametrize("name", ["notes.md", "set.txt", "graph.vrp"])
def test_files_of_another_kind_hold_nothing(name: str) -> None:
    assert not PROBLEM.read(named(name, "some words"))


def test_archives_of_other_problems_hold_nothing(tmp_path: Path) -> None:
    assert not PROBLEM.read(archive(tmp_path, coords=COORDS, demands=np.zeros((2, 3))))
    assert not PROBLEM.read(archive(tmp_path, weights=COORDS))


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.tsp", TEXT.replace("EUC_2D", "EUC_3D"), "found TSP with EUC_3D"),
        ("a.tsp", TEXT.replace("TYPE : TSP", "TYPE : ATSP"), "expected a TSP with EUC_2D"),
        ("a.tsp", TEXT.replace("DIMENSION: 3", "DIMENSION: 5"), "not the 5 announced"),
        (
            "a.tsp",
            TEXT.replace("DIMENSION: 3", "DIMENSION: x"),
            "its DIMENSION is X, not a number",
        ),
        ("a.tsp", TEXT.replace("DIMENSION: 3", "DIMENSION: 2"), "not the 2 announced.* has 3"),
        ("a.tsp", TEXT.replace("30 40.5", "30"), "not a node and 2 values"),
        ("a.tsp", TEXT.replace("40.5", "x"), "not numbers"),
        ("a.tsp", TEXT.replace("40.5", "nan"), "not points"),
        ("a.tsp", "", "expected a TSP with EUC_2D"),
        ("a.tsp", b"\xff\xfe\x00", "not a text file"),
        ("a.npz", b"PK\x03\x04 broken", "not a NumPy archive"),
        ("a.pkl", b"\x80\x04 broken", "not a pickle of plain arrays"),
        ("a.txt", "0 0 1 0 output 1 2 3 1", "contents are inconsistent"),
        ("a.txt", "0 0 1 output 1 2 1", "contents are inconsistent"),
        ("a.txt", "['a3', '7', '0', '0', '3']", "contents are inconsistent"),
        ("a.txt", "['a3', '7', '0', '0', '3'", "contents are inconsistent"),
    ],
)
def test_a_bad_file_is_refused_with_its_name(
    name: str, content: bytes | str, complaint: str
) -> None:
    with pytest.raises(UserError, match=rf"{name}: .*{complaint}"):
        PROBLEM.read(named(name, content))


def test_a_zip_archive_loads_by_path(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "set.zip", "w") as packed:
        packed.writestr("deep/a.tsp", TEXT)
    assert [i.name for i in PROBLEM.load(str(tmp_path / "set.zip"))] == ["a"]


def test_large_sets_have_few_instances_and_larger_ones_are_refused(tmp_path: Path) -> None:
    assert len(PROBLEM.draw_set("tsp5001")) == 4
    archive(tmp_path, coords=np.random.RandomState(1).random_sample((1, 12001, 2)))
    with pytest.raises(UserError, match=r"12001 nodes, .* would take 1.2 GB; .* up to 12000"):
        PROBLEM.load(str(tmp_path / "set.npz"))


@pytest.mark.parametrize("size", [3, 127, 128, 129, 300])
def test_a_matrix_built_by_rows_is_read_only_and_that_of_numpy(size: int) -> None:
    points = np.random.RandomState(size).random_sample((size, 2))
    matrix = build_matrix(plane(*points.tolist()))
    x, y = points.T
    expected = np.sqrt(np.subtract.outer(x, x) ** 2 + np.subtract.outer(y, y) ** 2)
    assert matrix.tobytes() == expected.tobytes()
    with pytest.raises(ValueError, match="WRITEABLE"):
        matrix.flags.writeable = True
