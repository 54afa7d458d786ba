"""Imported sets: read from files as they come, recognised by content, kept whole or not at all."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import tarfile
import zipfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from problems.base import InstanceSet, as_problem
from problems.errors import UnknownName, UserError, WorldError
from problems.sets import references
from problems.sets.files import File, read_path, read_pickle, read_references, title_of
from problems.sets.imports import fetch, import_path, importers, open_set
from problems.sets.library import (
    Holding,
    Published,
    Record,
    entries,
    fingerprint,
    folder,
    holdings,
    load,
    store,
)
from problems.sets.references import References, parse_task
from problems.tsp.instances import Instance, as_record

if TYPE_CHECKING:
    from pytest_httpserver import HTTPServer


def record(*numbers: int, name: str = "", reference: float | None = None) -> Record:
    """An instance of two tables of different lengths."""
    tables = {"numbers": np.array(numbers), "grid": np.array([numbers] * 2, dtype=np.float64)}
    return Record({"numbers": tables["numbers"], "grid": tables["grid"].T}, name, reference)


TRIO = (record(1, 2, 3), record(4, 5, 6, 7), record(8))


class Counting:
    """Reads `.count` files: an instance of numbers a line, called like the file if it is alone."""

    name = "counting"

    def sets(self) -> tuple[InstanceSet, ...]:
        generated = InstanceSet("always-there", 9, "generated")
        return (generated, *(published.described for published in self.published()))

    def published(self) -> tuple[Published, ...]:
        described = InstanceSet("trio", 3, "three of them")
        return (Published(described, fingerprint(TRIO), member=lambda r: r.name != "odd"),)

    def read(self, file: File) -> list[Record]:
        if file.suffix != ".count":
            return []
        lines = file.text().splitlines()
        try:
            rows = [[int(word) for word in line.split()] for line in lines]
        except ValueError as error:
            raise UserError(f"{file.name}: no numbers") from error
        return [record(*row, name=file.stem if len(rows) == 1 else "") for row in rows]


COUNTING = as_problem(Counting())


def write(place: Path, *names: str) -> Path:
    """A folder of files; `a=1,2` is a file a.count with the line `1 2`."""
    place.mkdir(exist_ok=True)
    for name in names:
        stem, _, numbers = name.partition("=")
        (place / f"{stem}.count").write_text(numbers.replace(",", " ").replace(";", "\n"))
    return place


def same(one: Record, other: Record) -> bool:
    """Whether name, reference and tables are equal."""
    return (one.name, one.reference) == (other.name, other.reference) and all(
        np.array_equal(one.tables[table], other.tables[table])
        and one.tables[table].dtype == other.tables[table].dtype
        for table in (*one.tables, *other.tables)
    )


def test_what_is_stored_is_what_is_loaded(data_folder: Path) -> None:
    records = (record(1, 2, name="a", reference=2.5), record(3, name="b"))
    entry = store("mine", "counting", records, "a test")
    assert all(map(same, load(COUNTING, "mine"), records))
    assert entries() == (entry,)
    assert (entry.size, entry.source, entry.content) == (2, "a test", fingerprint(records))
    assert entry.file == data_folder / "counting" / "mine.npz"


def test_instances_without_names_are_called_after_their_set(data_folder: Path) -> None:
    store("mine", "counting", TRIO, "")
    assert [r.name for r in load(COUNTING, "mine")] == ["mine/0", "mine/1", "mine/2"]


def test_a_fingerprint_knows_tables_and_order_and_nothing_else() -> None:
    assert fingerprint(TRIO) == fingerprint([replace(r, name="x", reference=1.0) for r in TRIO])
    assert fingerprint(TRIO) != fingerprint(TRIO[::-1])
    assert fingerprint(TRIO) != fingerprint(TRIO[:2])
    floats = Record({n: t.astype(np.float64) for n, t in TRIO[0].tables.items()})
    assert fingerprint([floats]) != fingerprint(TRIO[:1])


@pytest.mark.parametrize("name", ["", "../up", "a/b", "ä", ".hidden", "a b"])
def test_a_set_has_a_plain_name(name: str, data_folder: Path) -> None:
    with pytest.raises(UserError, match="cannot name a set"):
        store(name, "counting", TRIO, "")


def test_a_name_keeps_its_instances(data_folder: Path) -> None:
    store("mine", "counting", TRIO, "")
    store("mine", "counting", TRIO, "again")
    with pytest.raises(UserError, match="mine is a set of other instances already"):
        store("mine", "counting", TRIO[:2], "")
    assert len(load(COUNTING, "mine")) == 3
    store("mine", "other", TRIO[:2], "")


def test_an_altered_file_is_refused(data_folder: Path) -> None:
    entry = store("mine", "counting", TRIO, "")
    store("yours", "counting", TRIO[:1], "").file.replace(entry.file)
    with pytest.raises(WorldError, match=r"mine.npz is not the file that was imported; remove"):
        load(COUNTING, "mine")
    entry.file.unlink()
    with pytest.raises(WorldError, match=r"mine.npz is missing; remove"):
        load(COUNTING, "mine")


@pytest.mark.parametrize(
    ("header", "complaint"),
    [
        ("no json", "does not describe an imported set"),
        ("{}", "does not describe"),
        (None, "newer version"),
    ],
)
def test_an_unknown_header_is_refused(
    header: str | None, complaint: str, data_folder: Path
) -> None:
    file = store("mine", "counting", TRIO, "").file.with_suffix(".json")
    newer = json.dumps({**json.loads(file.read_text()), "schema": 99})
    file.write_text(newer if header is None else header)
    with pytest.raises(WorldError, match=complaint):
        load(COUNTING, "mine")


def test_a_missing_set_is_asked_for_by_the_command_to_type(data_folder: Path) -> None:
    with pytest.raises(UserError, match=r"trio is not imported yet; .*`preceptor data import D"):
        load(COUNTING, "trio")
    store("mine", "counting", TRIO, "")
    with pytest.raises(UnknownName, match=r"unknown set 'mime'; did you mean 'mine'"):
        load(COUNTING, "mime")


def test_the_data_folder_is_the_users_own_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRECEPTOR_DATA", raising=False)
    assert folder().parts[-2:] == ("preceptor", "data")


def test_a_published_set_is_recognised_whatever_its_files_are_called(
    data_folder: Path, tmp_path: Path
) -> None:
    (one,) = import_path(write(tmp_path / "x", "any=1,2,3;4,5,6,7;8"), None, [COUNTING]).sets
    assert (one.name, one.size) == ("trio", 3)
    (several,) = import_path(
        write(tmp_path / "y", "c=8", "a=1,2,3", "b=4,5,6,7"), "trio", [COUNTING]
    ).sets
    assert several.content == one.content


def test_a_published_set_is_picked_from_a_folder_that_holds_more(
    data_folder: Path, tmp_path: Path
) -> None:
    place = write(tmp_path / "x", "a=1,2,3", "b=4,5,6,7", "c=8", "odd=9")
    imported = import_path(place, None, [COUNTING])
    assert [entry.name for entry in imported.sets] == ["trio"]
    assert imported.left_out == ("odd: in no published set; --as NAME imports all 4 instances",)
    (whole,) = import_path(place, "mine", [COUNTING]).sets
    assert (whole.name, whole.size) == ("mine", 4)


def test_a_published_set_that_is_there_twice_is_stored_once(
    data_folder: Path, tmp_path: Path
) -> None:
    place = write(tmp_path / "x", "any=1,2,3;4,5,6,7;8", "other=1,2,3;4,5,6,7;8")
    assert [entry.name for entry in import_path(place, None, [COUNTING]).sets] == ["trio"]


def test_other_instances_become_sets_called_like_their_file_or_folder(
    data_folder: Path, tmp_path: Path
) -> None:
    place = write(tmp_path / "mine", "many=1;2;3", "a=7", "b=8")
    imported = import_path(place, None, [COUNTING])
    assert [(entry.name, entry.size) for entry in imported.sets] == [("many", 3), ("mine", 2)]
    with pytest.raises(UserError, match=r"several sets \(many, mine\)"):
        import_path(place, "both", [COUNTING])


def test_other_instances_cannot_take_the_name_of_a_known_set(
    data_folder: Path, tmp_path: Path
) -> None:
    place = write(tmp_path / "x", "a=1", "b=2")
    for name in ("trio", "always-there"):
        with pytest.raises(UserError, match=f"not the instances of {name}"):
            import_path(place, name, [COUNTING])


def test_what_cannot_be_read_is_left_out_and_said(data_folder: Path, tmp_path: Path) -> None:
    place = write(tmp_path / "x", "a=1", "b=2", "bad=one")
    assert import_path(place, None, [COUNTING]).left_out == ("bad.count: no numbers",)
    with pytest.raises(UserError, match=r"bad: no instances of counting|no instances.*no numbers"):
        import_path(place / "bad.count", None, [COUNTING])


def test_a_set_opens_by_name_or_by_path(data_folder: Path, tmp_path: Path) -> None:
    store("mine", "counting", TRIO, "")
    assert len(open_set(COUNTING, "mine")) == 3
    place = write(tmp_path / "x", "many=1;2", "a=7")
    assert [r.name for r in open_set(COUNTING, str(place))] == ["many/0", "many/1", "a"]
    with pytest.raises(UserError, match="no such file or folder"):
        open_set(COUNTING, "./nowhere")


def test_archives_are_opened(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as packed:
        packed.writestr("deep/b.txt", "two")
        packed.writestr("a.txt", "one")
    (tmp_path / "c.txt.gz").write_bytes(gzip.compress(b"three"))
    found = {file.name: file.text() for file in read_path(tmp_path)}
    assert found == {"a.txt": "one", "deep/b.txt": "two", "c.txt": "three"}
    assert [file.name for file in read_path(tmp_path / "x.zip")] == ["a.txt", "deep/b.txt"]


def test_a_numpy_archive_is_one_file(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", a=np.arange(3))
    (file,) = read_path(tmp_path)
    assert file.arrays()["a"].tolist() == [0, 1, 2]


def packed(**files: bytes) -> bytes:
    """A tar archive; `a_tsp` is a file `a.tsp` in a folder."""
    tape = io.BytesIO()
    with tarfile.open(fileobj=tape, mode="w") as archive:
        for name, content in files.items():
            header = tarfile.TarInfo("./all/" + name.replace("_", "."))
            header.size = len(content)
            archive.addfile(header, io.BytesIO(content))
    return tape.getvalue()


def test_archives_in_archives_are_opened(tmp_path: Path) -> None:
    tape = packed(a_count_gz=gzip.compress(b"1 2"), b_count=b"3")
    (tmp_path / "all.tar.gz").write_bytes(gzip.compress(tape))
    (tmp_path / "ALL.TGZ").write_bytes(gzip.compress(tape))
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("c.count.gz", gzip.compress(b"4"))
        archive.writestr("d.tar.gz", gzip.compress(tape))
    inside = {"all/a.count": "1 2", "all/b.count": "3"}
    for name, more in (("all.tar.gz", {}), ("ALL.TGZ", {}), ("all.zip", {"c.count": "4"})):
        found = read_path(tmp_path / name)
        assert {file.name.removeprefix("./"): file.text() for file in found} == inside | more


def test_archives_are_opened_to_a_depth(tmp_path: Path) -> None:
    content = b"1"
    for _ in range(5):
        content = gzip.compress(content)
    (tmp_path / "a.count.gz.gz.gz.gz.gz").write_bytes(content)
    (file,) = read_path(tmp_path)
    assert file.trouble == "a.count.gz: an archive within 4 others"


@pytest.mark.parametrize(
    ("path", "title"),
    [("a.tar.gz", "a"), ("v1.0.zip", "v1.0"), ("a.tsp.gz", "a"), ("a.b.tsp", "a.b")],
)
def test_a_set_is_called_like_its_file_without_suffixes(path: str, title: str) -> None:
    assert title_of(Path(path)) == title


def test_a_set_is_called_like_its_folder(tmp_path: Path) -> None:
    (tmp_path / "v1.0").mkdir()
    assert title_of(tmp_path / "v1.0") == title_of(tmp_path / "v1.0" / ".") == "v1.0"


def broken_zip() -> bytes:
    """A zip archive whose one file is damaged."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", "one" * 100)
    damaged = bytearray(content.getvalue())
    damaged[40] ^= 0xFF
    return bytes(damaged)


FOREIGN = {
    "x.gz": b"no gzip",
    "y.gz": b"\x1f\x8b\x08",
    "x.zip": broken_zip(),
    "x.tar": b"no tape",
    "notes.csv": "Gr\u00f6\u00dfe;Zahl\n".encode("latin-1"),
    "best.csv": b"name,optimal\nb,1,400\na,-\nc,2\n",
    "nul.csv": b"name,optimal\0",
    "solutions": b"a : 1.234.567\nc : 8\n",
    "solutions.xlsx": b"\x00\xff",
    "a.sol": b"Cost unknown\n",
    "log.txt": b"\xff" * 10,
    "README.md": b"# words",
}


@pytest.mark.parametrize("name", FOREIGN)
def test_no_file_beside_the_instances_stops_an_import(
    name: str, data_folder: Path, tmp_path: Path
) -> None:
    place = write(tmp_path / "x", "a=1", "c=2")
    (place / name).write_bytes(FOREIGN[name])
    imported = import_path(place, "mine", [COUNTING])
    assert [entry.size for entry in imported.sets] == [2]
    (line,) = imported.left_out
    assert line.startswith(name)
    with pytest.raises(UserError, match=rf"no instances of counting; {name}"):
        import_path(place / name, None, [COUNTING])


def test_a_file_that_is_too_large_is_left_out(data_folder: Path, tmp_path: Path) -> None:
    place = write(tmp_path / "x", "a=1", "b=2")
    with (place / "huge.log").open("wb") as handle:
        handle.truncate(300 << 20)  # a hole: no bytes are written
    assert import_path(place, None, [COUNTING]).left_out == (
        "huge.log cannot be read: huge.log is larger than 256 MiB",
    )


def test_a_name_that_cannot_name_a_set_mentions_the_option(
    data_folder: Path, tmp_path: Path
) -> None:
    place = write(tmp_path / "My Instances (2024)", "a=1", "b=2")
    with pytest.raises(UserError, match=r"cannot name a set: .*choose a name with --as NAME"):
        import_path(place, None, [COUNTING])


def test_best_known_values_are_found_beside_the_instances() -> None:
    files = [
        File("deep/solutions", b"a : 12\nb: 7 (CEIL_2D)\n"),
        File("table.csv", b"name,n,best_known,optimal\nc,3,99,9\nd,4,8,\n"),
        File("other.csv", b"word,meaning\nname,1\n"),
        File("X/e.sol", b"Route #1: 1 2\nCost 27591\n"),
        File("f.sol", b"Route #1: 1 2\r\nCost : 400 proven\r\n"),
    ]
    found = read_references(files)
    assert found.values == {"a": 12, "b": 7, "c": 9, "e": 27591, "f": 400}
    assert found.complaints == ()


def test_a_value_that_may_mean_two_numbers_is_no_number() -> None:
    for value in (
        "1,400",
        "1.234.567",
        "1 400",
        "-",
        "unknown",
        "1_400",
        "nan",
        "1e999",
        "9" * 999,
    ):
        (complaint,) = read_references([File("a.sol", f"Cost {value}\n".encode())]).complaints
        assert complaint == ("a.sol", f"a.sol: {value!r}, best known of a, is not a number")
    table = File("t.csv", b"name,optimal\na,-\nb,?\nc,3\n")
    found = read_references([table])
    assert found.values == {"c": 3}
    assert found.complaints == (
        ("t.csv", "t.csv: '-', best known of a, is not a number, nor are 1 more"),
    )


NAMES = st.sampled_from(["a.csv", "a.json", "a.sol", "solutions", "a.gz", "a.zip", "a.tar", "a"])
STARTS = st.sampled_from([b"", b"name,optimal\n", b"Cost ", b"a: ", gzip.compress(b"1"), packed()])


@given(name=NAMES, start=STARTS, rest=st.binary(max_size=60))
@settings(max_examples=60, deadline=None)
def test_no_file_does_worse_than_be_left_out(
    name: str, start: bytes, rest: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(start + rest)
    found = read_references(read_path(path))
    assert all(np.isfinite(value) for value in found.values.values())


def test_best_known_is_the_better_of_ours_and_what_came_instance_by_instance(
    tmp_path: Path,
) -> None:
    references.write(tmp_path, "mine", References("S, 9 runs", "cmd", "", (5.0, 5.0, 5.0)))
    came = tuple(Instance("", (), reference=known) for known in (4.0, 6.0, None))
    for better, expected in ((min, [4, 5, 5]), (max, [5, 6, 5])):
        found = references.attach(tmp_path, "mine", came, better)
        assert [one.reference for one in found] == expected
    assert references.attach(tmp_path, "other", came) == came


def test_references_are_improved_instance_by_instance_and_name_every_effort(
    tmp_path: Path,
) -> None:
    instances = tuple(Instance(name, ((0, 0), (1, 1), (0, 1))) for name in "abc")
    lengths = {"a": 3.0, "b": 3.0, "c": 3.0}

    def improve(*words: str) -> References:
        task = parse_task("own.script", ["mine", *words], "runs")
        solver = f"S, {task.effort['runs'] or 9} runs"
        task.improve(tmp_path, "mine", instances, as_record, solver, lambda one: lengths[one.name])
        return references.read(tmp_path)["mine"]

    assert improve().objectives == (3, 3, 3)
    lengths |= {"a": 2.0, "b": 4.0, "c": 1.0}
    found = improve("--runs", "99", "--only", "0-1")
    assert found.objectives == (2, 3, 3)
    assert found.solver == "S, 9 runs; S, 99 runs (instances 0-1)"
    assert found.command == (
        "python -m own.script mine; python -m own.script mine --runs 99 --only 0-1"
    )
    with pytest.raises(ValueError, match="of other instances"):
        references.write(tmp_path, "mine", References("S", "", "other", (1.0,)))


REACHED = (
    ("tsp", "design", 67, 5.99181),
    ("tsp", "design", 160, 5.42960),
    ("tsp", "selection", 212, 5.58734),
    ("cvrp", "design", 92, 7.36690),
    ("cvrp", "design", 165, 9.18396),
    ("cvrp", "design", 183, 6.59591),
    ("cvrp", "design", 189, 8.11445),
    ("cvrp", "design", 199, 7.42564),
    ("cvrp", "design", 201, 9.30409),
    ("cvrp", "design", 212, 8.27229),
    ("cvrp", "design", 213, 10.85374),
    ("cvrp", "selection", 56, 7.40421),
    ("cvrp", "selection", 116, 8.07715),
    ("cvrp", "selection", 179, 8.73364),
    ("cvrp", "cvrp50", 25, 7.46330),
    ("maxcut", "design", 92, 194),
    ("maxcut", "selection", 4, 185),
    ("maxcut", "selection", 114, 581),
)
"""What programs of recorded runs reached where references were once worse."""


def test_references_are_no_worse_than_what_recorded_programs_reached() -> None:
    for problem, name, place, reached in REACHED:
        known = references.of_problem(problem)[name].objectives[place]
        assert known >= reached if problem == "maxcut" else known <= reached


def test_the_page_on_instances_says_how_every_reference_was_found() -> None:
    lines = (Path(__file__).parents[2] / "docs" / "instances.md").read_text("utf-8").splitlines()
    for problem in ("tsp", "cvrp", "maxcut"):
        for name, found in references.of_problem(problem).items():
            (line,) = [
                line
                for line in lines
                if line.startswith(f"| {problem} | ") and line.endswith(f" | {found.solver} |")
            ]
            assert name in line.split(" | ")[1].split(", ")


def test_references_of_a_problem_name_solver_and_effort() -> None:
    assert references.of_problem("mine") == {}
    for problem, solver in (("tsp", "LKH"), ("cvrp", "PyVRP"), ("maxcut", "annealing")):
        for found in references.of_problem(problem).values():
            assert solver in found.solver and any(
                word.isdecimal() for word in found.solver.split()
            )


def test_pickles_of_arrays_are_read_and_nothing_of_others_is_run(tmp_path: Path) -> None:
    value = [(np.arange(4.0).reshape(2, 2), "a", 1)]
    for protocol in range(3, pickle.HIGHEST_PROTOCOL + 1):
        (found,) = read_pickle(File("x.pkl", pickle.dumps(value, protocol)))
        assert found[0].tolist() == value[0][0].tolist() and found[1:] == value[0][1:]
    mark = tmp_path / "mark"
    harmful = pickle.dumps(Harmful(str(mark)))
    with pytest.raises(UserError, match=r"x\.pkl: not a pickle of plain arrays"):
        read_pickle(File("x.pkl", harmful))
    assert not mark.exists()


class Harmful:
    """Makes a folder when it is unpickled."""

    def __init__(self, mark: str) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return Path.mkdir, (Path(self.mark),)


def test_a_published_set_is_fetched(data_folder: Path, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/any.count").respond_with_data("1 2 3\n4 5 6 7\n8")
    address = httpserver.url_for("/any.count")
    entry = fetch("trio", [COUNTING], address)
    assert (entry.name, entry.source) == ("trio", address)
    assert len(load(COUNTING, "trio")) == 3


def test_a_published_set_of_several_files_is_fetched(
    data_folder: Path, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, line in (("a", "1 2 3"), ("b", "4 5 6 7"), ("c", "8")):
        httpserver.expect_request(f"/set/{name}.count").respond_with_data(line)
    (whole,) = COUNTING.published()
    parts = replace(
        whole, address=httpserver.url_for("/set/"), files=("a.count", "b.count", "c.count")
    )
    monkeypatch.setattr(COUNTING, "published", lambda: (parts,))
    assert fetch("trio", [COUNTING]).source == parts.address
    assert [record.name for record in load(COUNTING, "trio")] == ["a", "b", "c"]


def test_other_instances_are_refused_wherever_they_come_from(
    data_folder: Path, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/any.count").respond_with_data("1 2 3\n4 5 6 8\n8")
    with pytest.raises(WorldError, match=r"does not hold the instances of trio \(sha256 differs"):
        fetch("trio", [COUNTING], httpserver.url_for("/any.count"))
    assert entries() == ()


def test_a_failed_download_says_what_to_do(data_folder: Path, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/gone.count").respond_with_data("", status=404)
    with pytest.raises(WorldError, match=r"404.*preceptor data import"):
        fetch("trio", [COUNTING], httpserver.url_for("/gone.count"))
    with pytest.raises(UserError, match="not an http address"):
        fetch("trio", [COUNTING], "file:///etc/passwd")
    with pytest.raises(UserError, match="has no public address"):
        fetch("trio", [COUNTING])
    with pytest.raises(UnknownName, match="did you mean 'trio'"):
        fetch("troi", [COUNTING])


def test_the_catalogue_tells_what_is_at_hand(data_folder: Path) -> None:
    before: dict[tuple[str, str], Holding] = {(h.problem, h.name): h for h in holdings()}
    assert before["tsp", "tsp50"].state == before["jssp", "design"].state == "generated"
    assert before["tsp", "tsplib"].state == "missing"
    assert before["tsp", "tsplib"].address.startswith("https://")
    store("mine", "tsp", TRIO, "a test")
    (mine,) = (h for h in holdings() if h.name == "mine")
    assert (mine.problem, mine.state, mine.size, mine.described) == ("tsp", "imported", 3, None)


LONG = 200_000
"""Characters for which a pattern that looks at white space twice takes longer than any test."""


@pytest.mark.parametrize(
    "file",
    [
        File("a.tsp", b"A" + b" " * LONG + b"B\n"),
        File("a", b"nb of jobs,\n" + b"\n" * LONG),
        File("a", b"nb of jobs,\n1 1\ntimes\n" + b"\n" * LONG),
        File("a", b"nb of jobs,\n1 1\ntimes\n1\nmachines\n" + b"\n" * LONG),
        File("a.sol", b"\n" * LONG),
        File("a.sol", b"cost" + b" " * LONG + b"x"),
        File("solutions", b"a: 1" + b" " * LONG + b"1"),
    ],
    ids=lambda file: f"{file.name} {file.content[:24]!r}",
)
def test_white_space_without_end_freezes_no_reader(file: File) -> None:
    assert not read_references([file]).values.get("a")
    for reader in importers():
        with suppress(UserError):
            assert not reader.read(file)
