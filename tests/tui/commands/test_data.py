"""`preceptor data`: what is at hand, files imported, sets fetched."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from problems.sets.library import holdings
from tests.conftest import Shell
from tests.tui.schemas import read_document
from tui.text.pages.measures import page_sets

if TYPE_CHECKING:
    from pytest_httpserver import HTTPServer

NODES = "NODE_COORD_SECTION\n1 0 0\n2 3 0\n3 3 4\n"
TRIANGLE = f"TYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\n{NODES}EOF\n"


@pytest.fixture
def triangle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one instance, its optimum, and a file that cannot be used."""
    monkeypatch.setenv("PRECEPTOR_DATA", str(tmp_path / "data"))
    folder = tmp_path / "triangles"
    folder.mkdir()
    (folder / "t3.tsp").write_text(TRIANGLE)
    (folder / "xray.tsp").write_text(TRIANGLE.replace("EUC_2D", "XRAY1"))
    (folder / "solutions.txt").write_text("t3 : 12\n")
    return folder


def test_all_sets_are_listed_with_their_state(preceptor: Shell, triangle: Path) -> None:
    listed = read_document(preceptor("data", "list", "--json").out, "data-list")["sets"]
    found = {(one["problem"], one["name"]): one for one in listed}
    assert found["jssp", "random-20x20"]["state"] == "generated"
    assert found["tsp", "tsplib"]["state"] == "missing"
    assert found["tsp", "tsplib"]["identity"] == "certain"
    assert found["tsp", "tsplib"]["best_known_by"] is None
    assert found["tsp", "tsp200"]["best_known_by"].startswith("LKH by elkai 2.0.1, ")
    assert found["tsp", "design"]["design"] and found["tsp", "design"]["identity"] is None


def test_a_folder_is_imported_and_listed_and_measured(preceptor: Shell, triangle: Path) -> None:
    done = preceptor("data", "import", "triangles", "--json")
    imported = read_document(done.out, "data-import")
    assert done.code == 0
    (left,) = imported["left_out"]
    assert left.startswith("xray.tsp: expected a TSP with EUC_2D,")
    assert left.endswith("distances, found TSP with XRAY1")
    assert [(one["name"], one["instances"]) for one in imported["sets"]] == [("triangles", 1)]
    assert "left out: xray.tsp" in done.err
    (line,) = [x for x in preceptor("data", "list").out.splitlines() if x.startswith("triangles")]
    assert line.split() == ["triangles", "tsp", "1", "imported", "-", "from", "triangles"]
    words = ("--set", "triangles", "--solver", "nearest-neighbour", "--json")
    (table,) = read_document(preceptor("bench", "tsp", *words).out, "bench")
    assert [row["mean"] for row in table["rows"]] == [12, 12]


def test_a_set_gets_the_name_that_is_asked_for(preceptor: Shell, triangle: Path) -> None:
    done = preceptor("data", "import", "triangles/t3.tsp", "--as", "mine")
    assert done.out == "mine: 1 instance of tsp, from t3.tsp\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("import", "nowhere"), "no such file or folder"),
        (("import", "triangles/xray.tsp"), "expected a TSP with EUC_2D,"),
        (("import", "triangles", "--as", "tsplib"), "not the instances of tsplib"),
        (("import", "triangles", "--as", "a/b"), "cannot name a set"),
        (("fetch", "tsplip"), "did you mean 'tsplib'?"),
        (("fetch", "tsplib", "--from", "ftp://x"), "not an http address"),
    ],
)
def test_what_cannot_be_imported_is_refused(
    words: tuple[str, ...], expected: str, preceptor: Shell, triangle: Path
) -> None:
    refused = preceptor("data", *words)
    assert refused.code == 2
    assert expected in refused.err


def test_a_download_of_other_instances_is_refused(
    preceptor: Shell, triangle: Path, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/tsplib.tsp").respond_with_data(TRIANGLE)
    refused = preceptor("data", "fetch", "tsplib", "--from", httpserver.url_for("/tsplib.tsp"))
    assert refused.code == 1
    assert "does not hold the instances of tsplib (sha256 differs)" in refused.complaint


def test_a_set_that_is_not_imported_says_what_to_type(preceptor: Shell, triangle: Path) -> None:
    refused = preceptor("bench", "tsp", "--set", "tsplib")
    assert refused.code == 2
    assert "type `preceptor data fetch tsplib`, or" in refused.complaint


def test_many_lines_about_what_is_left_out_are_cut(preceptor: Shell, triangle: Path) -> None:
    for number in range(9):
        (triangle / f"xray{number}.tsp").write_text(TRIANGLE.replace("EUC_2D", "XRAY1"))
    told = preceptor("data", "import", "triangles").err.splitlines()
    assert told[-1] == "left out: 5 more, --json lists all of them"
    assert len(told) == 6


def test_the_help_imports_no_numpy() -> None:
    code = (
        "import sys; sys.argv = ['preceptor', 'data', '--help']\n"
        "from tui import cli\n"
        "try: cli.main()\n"
        "except SystemExit: pass\n"
        "assert 'numpy' not in sys.modules, 'numpy was imported'"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_a_narrow_list_of_sets_keeps_one_line_a_set(triangle: Path) -> None:
    found = holdings()
    narrow, broad = page_sets(found, 80).splitlines(), page_sets(found, None).splitlines()
    assert len(narrow) == len(broad) == len(found) + 1
    assert max(map(len, narrow)) <= 80
    assert narrow[0].split() == broad[0].split()[:-1]
