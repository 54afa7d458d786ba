"""An installed Preceptor beside a user's modules that are called like packages of ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engine.runtime.provenance import code_version
from hatch_build import PACKAGES, lay_out, rewrite
from problems import ProblemRef

SCRIPT = """
import engine, problems, teachers, tui
import preceptor
from preceptor import plot
from preceptor.engine.api.doctor import check_sandbox
from preceptor.engine.runtime.provenance import code_version
from preceptor.problems import ProblemRef

if __name__ == "__main__":
    print(engine.MINE, problems.MINE, teachers.MINE, tui.MINE)
    print(plot.__name__, plot is preceptor.plot)
    print(code_version(ProblemRef("jssp")))
    print(check_sandbox().verdict)
    print(preceptor.evaluate("./shop", "best-fit"))
    options = {"generations": 1, "children": 1, "states": 16}
    request = preceptor.RunRequest("./shop", teacher="program:expert.py", options=options)
    print(preceptor.start_run(request).wait(120).status)
"""


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working folder with clashing modules; what a wheel holds lies in `site` beside it."""
    folder = tmp_path_factory.mktemp("installed")
    lay_out(folder / "site" / "preceptor")
    work = folder / "work"
    work.mkdir()
    for name in PACKAGES:
        (work / f"{name}.py").write_text(f"MINE = 'my {name}'\n")
    (work / "script.py").write_text(SCRIPT)
    return work


def python(work: Path, *words: str) -> str:
    """What Python prints in the working folder; nothing of the source tree is on its path."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=work,
        env={"PYTHONPATH": str(work.parent / "site")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_script_has_its_own_modules_and_ours(work: Path) -> None:
    made = python(work, "-m", "preceptor", "new", "problem", "shop")
    assert made == "shop: problem.py, data.py, test_problem.py\n"
    (work / "expert.py").write_text("def score(bin, state):\n    return -bin.left\n")
    own, plot, identity, *rest, measured, status = python(work, "script.py").splitlines()
    assert own == "my engine my problems my teachers my tui"
    assert plot == "preceptor.engine.report.axes True"
    assert identity == code_version(ProblemRef("jssp"))  # stored results stay valid
    assert rest != ["fail"]
    assert measured.startswith("<rule best-fit: mean ")
    assert status == "done"
    assert "shop     preceptor" in python(work, "-m", "preceptor", "runs")


@pytest.mark.parametrize("statement", ["import engine.store", "import problems as them"])
def test_an_import_that_binds_another_name_is_refused(statement: str) -> None:
    assert rewrite("from engine import store\nimport problems\n") == (
        "from preceptor.engine import store\nfrom preceptor import problems\n"
    )
    with pytest.raises(ValueError, match=statement):
        rewrite(f"\n{statement}\n")
