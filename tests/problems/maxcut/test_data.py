"""Graphs: the generated sets, and the files of others that are read."""

from __future__ import annotations

import io
import pickle
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from problems.errors import UnknownName, UserError
from problems.maxcut import instances as sets
from problems.maxcut.annealing import anneal
from problems.maxcut.instances import as_record, from_record
from problems.maxcut.problem import Maxcut
from problems.maxcut.references import best_cuts
from problems.sets.files import File
from problems.sets.imports import import_path
from problems.sets.library import fingerprint
from problems.sets.references import read as read_references
from problems.tsp.problem import Tsp
from tests.problems.partitions import graph

PROBLEM = Maxcut()
nx = pytest.importorskip("networkx", reason="torch brings it along")
TEXT = "4 3\n1 2 1\n4 3 -1\n2 3 5\n"
EDGES = [[0, 1, 1], [1, 2, 5], [2, 3, -1]]


def named(name: str, content: bytes | str) -> File:
    """A file with this content."""
    return File(name, content.encode() if isinstance(content, str) else content)


def archive(**arrays: Any) -> File:
    """A NumPy archive."""
    packed = io.BytesIO()
    np.savez(packed, **arrays)
    return named("set.npz", packed.getvalue())


def two_graphs(**others: Any) -> File:
    """The archive of the graph of `TEXT`, and of two vertices with an edge."""
    ends = {"u": [0, 3, 1, 1], "v": [1, 2, 2, 0], "w": [1, -1, 5, 7]}
    return archive(n=[4, 2], offsets=[0, 3, 4], **(ends | others))


def pickled(matrices: list[Any]) -> File:
    """A pickle of graphs."""
    return named("graphs.pkl", pickle.dumps(matrices))


@pytest.mark.parametrize(
    ("name", "size", "vertices", "edges", "weights"),
    [
        ("design-16", 16, 200, 784, {-1, 1}),
        ("ba200w", 100, 200, 784, {-1, 1}),
        ("ba800u", 20, 800, 3184, {1}),
        ("er800w", 5, 800, 19176, {-1, 1}),
        ("er200w", 100, 200, 2985, {-1, 1}),
    ],
)
def test_generated_graphs_are_as_dense_as_announced(
    name: str, size: int, vertices: int, edges: int, weights: set[int]
) -> None:
    instances = PROBLEM.load(name)
    assert len(instances) == size and {one.size for one in instances} == {vertices}
    counts = [len([*one.edges()]) for one in instances]
    assert set(counts) == {edges} or abs(sum(counts) / size - edges) < 0.01 * edges
    drawn = [w for one in instances for _, _, w in one.edges()]
    assert set(drawn) == weights
    assert weights == {1} or abs(sum(drawn)) < 5 * len(drawn) ** 0.5


@pytest.mark.parametrize("name", ["design", "selection"])
def test_the_four_kinds_of_graphs_come_by_turns(name: str) -> None:
    instances = PROBLEM.load(name)
    assert {one.size for one in instances} == {200} and len(instances) == 128
    kinds = []
    for place in range(4):
        drawn = [[weight for *_, weight in one.edges()] for one in instances[place::4]]
        sparse = {len(weights) == 784 for weights in drawn}
        kinds.append((sparse, {weight for weights in drawn for weight in weights}))
    signed, unsigned = {-1, 1}, {1}
    assert kinds == [({True}, signed), ({False}, signed), ({True}, unsigned), ({False}, unsigned)]


def test_vertices_that_come_early_have_many_edges_in_barabasi_albert_graphs() -> None:
    for instance in PROBLEM.load("ba800u")[:5]:
        degrees = [len(others) for others in instance.neighbours]
        assert min(degrees[4:]) >= 4
        assert max(degrees) == max(degrees[:40]) > 40


def test_the_same_set_is_the_same_every_time() -> None:
    assert PROBLEM.load("er200w") == PROBLEM.load("er200w")
    assert PROBLEM.load("ba30u")[0].neighbours != PROBLEM.load("ba30u")[1].neighbours


@pytest.mark.parametrize("name", ["ba9w", "er2001u", "ba200", "ba0200w", "desing", ""])
def test_an_unknown_set_names_the_nearest_one(name: str, data_folder: Path) -> None:
    with pytest.raises(UnknownName, match=r"ba|er|design"):
        PROBLEM.load(name)


def test_a_set_that_is_not_imported_says_what_to_type(data_folder: Path) -> None:
    with pytest.raises(UserError, match=r"`preceptor data fetch physics`.*`preceptor data import"):
        PROBLEM.load("physics")
    with pytest.raises(UserError, match=r"with its files at hand `preceptor data import"):
        PROBLEM.load("gset-er800u")


def test_generated_sets_ship_with_reference_cuts_of_these_very_graphs() -> None:
    known = read_references(Path(best_cuts.__file__).parent)
    generated = {described.name for described in sets.GENERATED}
    assert generated <= known.keys()
    for name in generated:
        instances = PROBLEM.load(name)
        assert fingerprint(list(map(as_record, instances))) == known[name].content
        assert tuple(instance.reference for instance in instances) == known[name].objectives


def test_references_of_published_sets_are_of_these_very_graphs() -> None:
    known = read_references(Path(best_cuts.__file__).parent)
    for published in sets.PUBLISHED:
        references = known[published.described.name]
        assert references.content == published.content
        assert len(references.objectives) == published.described.size


def test_references_are_no_worse_than_a_short_annealing() -> None:
    for name in ("design", "er200w"):
        for instance in PROBLEM.load(name)[:5]:
            assert instance.reference is not None
            assert anneal(instance, 2, 100)[1] <= instance.reference


def test_gset_text_counts_vertices_from_1() -> None:
    (record,) = PROBLEM.read(named("some/g7", TEXT))
    assert (record.name, record.tables["n"].tolist()) == ("G07", [4])
    assert record.tables["edges"].tolist() == EDGES


def test_edges_without_weights_weigh_1_and_weights_of_0_are_no_edges() -> None:
    (record,) = PROBLEM.read(named("a.txt", "3 2\n3 1\n2 3 0\n"))
    assert (record.name, record.tables["edges"].tolist()) == ("a", [[0, 2, 1]])


def test_archives_hold_many_graphs_and_their_best_cuts() -> None:
    first, second = PROBLEM.read(two_graphs(best_known=[6.0, 7.0]))
    assert (first.name, first.reference, second.reference) == ("", 6.0, 7.0)
    assert first.tables["edges"].tolist() == EDGES
    assert second.tables["edges"].tolist() == [[0, 1, 7]]
    assert [record.reference for record in PROBLEM.read(two_graphs())] == [None, None]


def test_the_same_graphs_have_the_same_fingerprint_whatever_the_file() -> None:
    text, packed = PROBLEM.read(named("a.txt", TEXT)), PROBLEM.read(two_graphs())
    assert fingerprint(text) == fingerprint(packed[:1])
    assert as_record(from_record(text[0])).tables["edges"].tolist() == EDGES


def test_pickled_networkx_graphs_are_read_without_networkx() -> None:
    drawn = nx.Graph()
    drawn.add_nodes_from("abcd")
    drawn.add_edge("a", "b")
    drawn.add_edge("d", "c", weight=-1.0)
    drawn.add_edge("b", "c", weight=5)
    assert len(drawn.edges) == len(drawn.adj) - 1 == 3, (
        "views are kept in the graph once asked for"
    )
    (record,) = PROBLEM.read(pickled([drawn]))
    assert record.tables["edges"].tolist() == EDGES


def test_pickled_matrices_are_read() -> None:
    matrix = np.zeros((4, 4))
    for u, v, w in EDGES:
        matrix[u, v] = matrix[v, u] = w
    (record,) = PROBLEM.read(pickled([matrix]))
    assert record.tables["edges"].tolist() == EDGES


def test_pickled_sparse_matrices_are_read_without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    class csr_matrix:
        __module__ = "scipy.sparse.csr"

    csr_matrix.__qualname__ = "csr_matrix"
    with monkeypatch.context() as patch:
        for module in ("scipy", "scipy.sparse", "scipy.sparse.csr"):
            patch.setitem(sys.modules, module, ModuleType(module))
        patch.setattr(sys.modules["scipy.sparse.csr"], "csr_matrix", csr_matrix, raising=False)
        sparse = csr_matrix()
        sparse.indptr = np.array([0, 1, 3, 5, 6])  # type: ignore[attr-defined]
        sparse.indices = np.array([1, 0, 2, 1, 3, 2])  # type: ignore[attr-defined]
        sparse.data = np.array([1.0, 1.0, 5.0, 5.0, -1.0, -1.0])  # type: ignore[attr-defined]
        file = pickled([sparse])
    (record,) = PROBLEM.read(file)
    assert record.tables["edges"].tolist() == EDGES


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("notes.md", "some words"),
        ("a.txt", "some words"),
        ("a.txt", ""),
        ("LICENSE", "Copyright 2019\nall rights\n"),
        ("job.txt", "2 2\n0 5 1 7\n1 3 0 2\n"),
        ("a.pkl", pickle.dumps([(np.zeros((3, 2)), np.zeros((3, 3)))])),
    ],
)
def test_files_of_another_kind_hold_nothing(name: str, content: bytes | str) -> None:
    assert not PROBLEM.read(named(name, content))


def test_archives_of_other_problems_hold_nothing() -> None:
    assert not PROBLEM.read(archive(coords=np.zeros((2, 3, 2))))


@pytest.mark.parametrize(
    "file",
    [
        named("a.txt", "# own\n3 3\n1 2 1\n% more\n2 3 2\n1 3 3\n"),
        named("a.txt", "3 4\n1 2 3\n2 3 2\n1 3 3\n2 1 -2\n"),
        named("a.col", "c own\np edge 3 3\ne 1 2 1\ne 2 3 2\ne 1 3 3\n"),
        named("a.txt", "c own\np cut 3 3\na 1 2 1\na 2 3 2\na 1 3 3\n"),
    ],
)
def test_comments_parallel_edges_and_dimacs_are_read(file: File) -> None:
    (record,) = PROBLEM.read(file)
    assert record.tables["n"].tolist() == [3]
    assert record.tables["edges"].tolist() == [[0, 1, 1], [0, 2, 3], [1, 2, 2]]


@given(
    st.sampled_from(["", "3 2\n", "p edge 3 2\n", "# 1\n2 1\n1 2 "]),
    st.text("0123456789 -.e\npc#", max_size=40),
)
@settings(max_examples=60, deadline=None)
def test_no_edge_list_does_worse_than_be_refused(start: str, rest: str) -> None:
    with suppress(UserError):
        PROBLEM.read(named("a.txt", start + rest))


@pytest.mark.parametrize(
    ("file", "complaint"),
    [
        (named("a.txt", "4 5\n1 2 1\n"), "5 edges announced, 1 found"),
        (named("a.txt", "4 1\n1 2 1.5\n"), "not whole numbers"),
        (named("a.txt", "4 1\n1 2 x\n"), "not numbers"),
        (named("a.txt", "4 1\n1 2 nan\n"), "not whole numbers"),
        (named("a.txt", "4 1\n1 5 1\n"), "not a graph of 2 to 32768 vertices"),
        (named("a.txt", "4 1\n0 3 1\n"), "it has a vertex 0; vertices count from 1"),
        (named("a.txt", "1 0\n"), "not a graph of 2 to 32768 vertices"),
        (named("a.txt", "4 1\n2 2 1\n"), "from a vertex to itself"),
        (named("a.txt", "4 2\n1 2\n2 1\n"), "an edge is given twice, without weights"),
        (named("a.txt", "4 4\n1 2 1\n2 1 1\n2 3 1\n3 2 1\n"), "given in both directions"),
        (named("a.col", "p edge 3 1\nn 1 2\n"), "a line 'n' among the edges is not understood"),
        (named("a.txt", b"\xff\xfe\x00"), "not a text file"),
        (archive(n=[4], offsets=[0, 2], u=[0, 1], v=[1, 2], w=[1]), "contents are inconsistent"),
        (archive(n=[4, 2], offsets=[0, 1], u=[0], v=[1], w=[1]), "contents are inconsistent"),
        (named("a.npz", b"PK\x03\x04 broken"), "not a NumPy archive"),
        (named("a.pkl", b"\x80\x04 broken"), "not a pickle of plain arrays"),
        (named("a.pkl", pickle.dumps(Path("x"))), "it contains a pathlib"),
        (named("a.pkl", pickle.dumps([np.triu(np.ones((3, 3)))])), "is not symmetric"),
        (named("a.pkl", pickle.dumps([np.ones((3, 2))])), "is incomplete"),
    ],
)
def test_a_bad_file_is_refused_with_its_name(file: File, complaint: str) -> None:
    with pytest.raises(UserError, match=rf"{file.name}: .*{complaint}"):
        PROBLEM.read(file)


def test_what_one_problem_reads_is_no_complaint_of_another(
    tmp_path: Path, data_folder: Path
) -> None:
    drawn = nx.Graph([(0, 1), (1, 2)])
    (tmp_path / "graphs.pkl").write_bytes(pickled([drawn, drawn]).content)
    imported = import_path(tmp_path, None, [Tsp(), PROBLEM])
    assert [(entry.problem, entry.name) for entry in imported.sets] == [("maxcut", "graphs")]
    assert imported.left_out == ()
    assert [one.name for one in PROBLEM.load("graphs")] == ["graphs/0", "graphs/1"]
    assert PROBLEM.load("graphs")[0].neighbours == graph(3, (0, 1, 1), (1, 2, 1)).neighbours
