"""Tables say what was measured, beside what the paper says of the same sets and of no others."""

from __future__ import annotations

import asyncio
import csv
import io
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from engine.domain.records import Kind, Measurement
from engine.domain.specs.study import READ_OFF, StudySpec, Task
from engine.domain.text.plain_text import one_line
from engine.evaluate.pool import Limits
from engine.report.grid import Grid, GridCell, to_latex, to_markdown
from engine.report.layouts import itemise, lay_out, lay_out_details, lay_out_print, to_csv
from engine.report.paper_figures import TABLES, PaperTable
from engine.report.tables import QUOTED, ResultTable, read_tables
from engine.runtime.executors.executor import Local
from engine.runtime.measure.solvers import SolverResources, find_solver
from engine.store.reader import Reader
from engine.store.store import Store
from problems import ProblemRef
from problems.errors import StoreError

RULES = ("spt", "mwkr", "fdd-mwkr", "mor")


def measured(
    set: str,
    solver: str,
    costs: Sequence[float | None],
    kind: Kind = "rule",
    run: int | None = None,
    problem: str = "jssp",
) -> Measurement:
    """What a solver reached on a set; a program stands for a run of the method `solver`."""
    program = kind == "program"
    name, method = ("hash", solver) if program else (solver, "")
    return Measurement(problem, set, name, kind, tuple(costs), 0.5, "cpu", (), run, method)


def tabulate(
    db: Path,
    found: Sequence[Measurement],
    methods: tuple[str, ...] = ("ours", "eoh"),
    seeds: tuple[int, ...] = (0, 1),
    options: tuple[tuple[str, str], ...] = (),
) -> tuple[ResultTable, ...]:
    """The tables of a study that found so much."""
    problem = ProblemRef(found[0].problem, options)
    spec = StudySpec("told", (Task(problem),), methods, seeds)
    with Store(db) as store:
        study = store.jobs.create_study(spec)
        for place, run in enumerate(spec.runs()):
            store.study_log.enlist(study, place, run)
        for key, one in enumerate(found):
            store.study_log.record_measurement(study, str(key), one)
    with Reader(db) as reader:
        return read_tables(reader, study)


def column(grid: Grid, label: str, after: int = 0) -> list[GridCell]:
    """The cells below a heading, or so many columns to its right."""
    at = grid.head.index(label) + after
    return [row[at] for row in grid.rows]


async def solve(names: Sequence[str], sets: Sequence[str]) -> list[Measurement]:
    """What classical rules reach, through the evaluator that programs go through."""
    async with SolverResources(ProblemRef("jssp"), Limits(60.0, 2048), Local(1)) as bench:
        return [
            measured(name, word, (await bench.solve(find_solver(bench.problem, word), name)).costs)
            for name in sets
            for word in names
        ]


def test_rules_reach_the_figures_of_the_paper_to_the_digit(tmp_path: Path) -> None:
    found = asyncio.run(solve(RULES, ("random-10x10", "taillard-20x20")))
    tables = tabulate(tmp_path / "runs.db", found)
    assert [table.shape.name for table in tables] == ["jssp-random", "jssp-ood"]
    for table in tables:
        grid = lay_out(table)
        for rule in RULES:
            ours, quoted = column(grid, rule.upper())[0], column(grid, rule.upper(), after=1)[0]
            assert ours.text == quoted.text
            assert quoted.style == "quoted"


def test_methods_have_mean_and_spread_over_seeds_and_the_best_heuristic_stands_out(
    tmp_path: Path,
) -> None:
    (table,) = tabulate(
        tmp_path / "runs.db",
        [
            measured("random-10x10", "ours", (900, 920), "program", 1),
            measured("random-10x10", "ours", (904, 924), "program", 2),
            measured("random-10x10", "eoh", (930, 910), "program", 3),
            measured("random-10x10", "offline-l2d", (890, 900), "teacher"),
            measured("random-10x10", "best-known", (800, 800), "reference"),
        ],
    )
    grid = lay_out(table)
    assert column(grid, "Ours")[0] == GridCell("912.00 ± 2.83", "best")
    assert column(grid, "Ours", after=1)[0] == GridCell("915.87", "quoted")
    assert column(grid, "EoH")[0] == GridCell("920.00")
    assert column(grid, "Offline-LD")[0] == GridCell("895.00")
    assert "teachers: offline-l2d on cpu; their weights need not be the paper's" in grid.notes
    assert column(grid, "L2D")[0] == GridCell("-")
    assert column(grid, "L2D", after=1)[0] == GridCell("988.26", "quoted")
    assert "2 seeds: too few for a claim about methods" in grid.notes


def test_every_teacher_of_a_column_has_one_beside_the_same_quoted_figure(tmp_path: Path) -> None:
    found = [measured("random-10x10", f"l2d-{n}", (980 + n, 990 + n), "teacher") for n in (1, 2)]
    (table,) = tabulate(tmp_path / "runs.db", found)
    grid = lay_out(table)
    for n in (1, 2):
        label = f"L2D (l2d-{n})"
        assert column(grid, label)[0] == GridCell(f"{985 + n}.00")
        assert column(grid, label, after=1)[0] == GridCell("988.26", "quoted")


def test_a_study_that_is_not_over_says_so_below_its_tables(tmp_path: Path) -> None:
    (table,) = tabulate(tmp_path / "runs.db", [measured("random-10x10", "spt", (1, 2))])
    assert lay_out(table).notes[-1].startswith("WARNING: study 1 is starting")


def test_a_measurement_of_a_run_that_is_not_the_studys_is_damage(tmp_path: Path) -> None:
    found = [measured("random-10x10", "ours", (800, 820), "program", 99)]
    with pytest.raises(StoreError, match="study 1 has measured run 99"):
        tabulate(tmp_path / "runs.db", found)


def test_larger_cuts_are_better(tmp_path: Path) -> None:
    (table,) = tabulate(
        tmp_path / "runs.db",
        [
            measured("physics", "ours", (100, 110), "program", 1, "maxcut"),
            measured("physics", "eoh", (90, 100), "program", 2, "maxcut"),
        ],
    )
    assert column(lay_out(table), "Ours")[0].style == "best"


def test_a_variant_of_a_problem_is_never_taken_for_the_papers_own(tmp_path: Path) -> None:
    found = [measured("random-10x10", "ours", (800, 820), "program", 1)]
    (plain,) = tabulate(tmp_path / "plain.db", found)
    (table,) = tabulate(tmp_path / "runs.db", found, options=(("kind", "whole"),))
    said = "jssp whole: searched and measured under kind=whole"
    assert said in lay_out(table).notes and said not in lay_out(plain).notes
    assert "paper" not in lay_out(table).head, "its tables are of rules"


def test_a_set_that_is_not_the_papers_has_a_note_and_no_quoted_figure(tmp_path: Path) -> None:
    (table,) = tabulate(
        tmp_path / "runs.db", [measured("tsp50", "ours", (6.1, 6.3), "program", 1, "tsp")]
    )
    grid = lay_out(table)
    assert "paper" not in grid.head
    assert QUOTED not in grid.notes
    assert "tsp50 is not the set of the paper's TSP50: no figure is quoted" in grid.notes
    assert "not measured: TSP200, TSPLIB70" in grid.notes


def test_a_set_of_nobody_but_us_stands_in_a_table_of_its_own(tmp_path: Path) -> None:
    (table,) = tabulate(tmp_path / "runs.db", [measured("taillard-15x15", "spt", (1300, 1400))])
    grid = lay_out(table)
    assert grid.head == ("Set", "Metric", "spt", "ours", "eoh")
    assert [cell.text for cell in grid.rows[0]] == [
        "taillard-15x15",
        "Objective",
        "1350",
        "-",
        "-",
    ]


def test_an_unsolved_instance_leaves_no_mean(tmp_path: Path) -> None:
    found = [measured("random-10x10", "ours", (900, None), "program", 1)]
    (table,) = tabulate(tmp_path / "runs.db", found)
    assert column(lay_out(table), "Ours")[0] == GridCell("1 unsolved")
    assert [(d.mean, d.unsolved) for d in itemise(table)] == [(None, 1)]


def test_ablations_are_told_by_their_difference_to_the_full_method(tmp_path: Path) -> None:
    tables = tabulate(
        tmp_path / "runs.db",
        [
            measured("random-20x20", "ours", (1800, 1900), "program", 1),
            measured("random-20x20", "no-s", (1850, 1890), "program", 2),
            measured("taillard-20x20", "ours", (1900, 2000), "program", 1),
            measured("taillard-20x20", "no-s", (1800, 2000), "program", 2),
        ],
        methods=("ours", "no-s"),
    )
    grid = lay_out(next(table for table in tables if table.shape.ablation))
    full, without = [[cell.text for cell in row] for row in grid.rows]
    assert full == ["Full", "1850.00", "+0.00", "1812.15", "1950.00", "+0.00", "1916.30"]
    assert without[0] == "w/o structural rewrite (s)"
    assert without[1:] == ["1870.00", "+20.00", "1937.92", "1900.00", "-50.00", "2011.50"]


def test_details_pair_everybody_with_ours_by_seed(tmp_path: Path) -> None:
    (table,) = tabulate(
        tmp_path / "runs.db",
        [
            measured("random-10x10", "ours", (900, 920, 940), "program", 1),
            measured("random-10x10", "ours", (910, 930, 950), "program", 2),
            measured("random-10x10", "eoh", (901, 922, 943), "program", 3),
            measured("random-10x10", "eoh", (913, 934, 955), "program", 4),
            measured("random-10x10", "spt", (950, 950, 950)),
        ],
    )
    ours, eoh, rule = itemise(table)
    assert (ours.solver, ours.minus_ours, ours.p, ours.p_instances) == ("ours", None, None, None)
    assert (eoh.minus_ours, eoh.seeds, eoh.minus_ours_instances) == (3.0, 2, 3.0)
    assert eoh.p == pytest.approx(0.2048, abs=1e-4)
    assert eoh.low == pytest.approx(-9.706, abs=1e-3)
    assert eoh.high == pytest.approx(15.706, abs=1e-3)
    assert (eoh.p_holm, eoh.p_instances) == (eoh.p, 0.25)
    assert (rule.minus_ours, rule.seeds, rule.p_holm) == (25.0, 2, None)
    rows = list(csv.DictReader(io.StringIO(to_csv(itemise(table)))))
    assert [row["paper"] for row in rows] == ["915.87", "930.1", "1231.49"]
    assert "+3.00" in [cell.text for cell in lay_out_details(table).rows[1]]


def test_all_that_are_not_shown_to_be_worse_than_the_best_stand_out(tmp_path: Path) -> None:
    costs = {"ours": (900, 930, 915), "eoh": (902, 929, 917), "reevo": (950, 981, 964)}
    found = [
        measured("random-10x10", name, (cost,), "program", 1 + 3 * at + seed)
        for at, (name, means) in enumerate(costs.items())
        for seed, cost in enumerate(means)
    ]
    (table,) = tabulate(tmp_path / "runs.db", found, tuple(costs), (0, 1, 2))
    grid = lay_out(table)
    styles = [column(grid, label)[0].style for label in ("Ours", "EoH", "ReEvo")]
    assert styles == ["best", "best", "plain"]
    assert "with 3 seeds no sign-flip test over seeds can go below p = 0.25" in grid.notes
    assert any(note.startswith("to see 1 % on every set here") for note in grid.notes)


@pytest.mark.parametrize(
    ("blind", "told"),
    [
        ((954, 985, 970), "better, +5.6 % against blind (95 % interval +5.5 to +5.8 %, 3 seeds)"),
        ((850, 880, 865), "worse, -5.8 % against blind (95 % interval -5.8 to -5.8 %, 3 seeds)"),
        ((880, 930, 945), "as good or unclear, +0.36 % against blind"),
    ],
)
def test_a_sentence_says_what_the_teacher_is_worth(
    blind: tuple[int, ...], told: str, tmp_path: Path
) -> None:
    costs = {"ours": (900, 930, 915), "blind": blind}
    found = [
        measured("random-10x10", name, (cost,), "program", 1 + 3 * at + seed)
        for at, (name, means) in enumerate(costs.items())
        for seed, cost in enumerate(means)
    ]
    (table,) = tabulate(tmp_path / "runs.db", found, tuple(costs), (0, 1, 2))
    (said,) = [note for note in table.notes if note.startswith("the teacher of ours")]
    assert said.startswith(f"the teacher of ours, random-10x10: {told}")


def test_grids_print_as_markdown_and_latex() -> None:
    cells = (GridCell("a_b"), GridCell("1.00 ± 0.10", "best"), GridCell("2.00", "quoted"))
    grid = Grid("small", "50 % more", ("Set", "Δ", "paper"), (cells,), ("one note",))
    assert to_markdown(grid).splitlines()[2:5] == [
        "| Set | Δ | paper |",
        "| --- | ---: | ---: |",
        "| a_b | **1.00 ± 0.10** | *2.00* |",
    ]
    latex = to_latex(grid)
    stacked = r"\begin{tabular}[t]{@{}r@{}}\textbf{1.00}\\{\scriptsize $\pm$ 0.10}\end{tabular}"
    assert rf"a\_b & {stacked} & \textit{{2.00}} \\" in latex
    assert r"\caption{50 \% more}" in latex
    assert latex.index(r"\toprule") < latex.index(r"\midrule") < latex.index(r"\bottomrule")


def test_a_broad_table_goes_on_below_under_its_first_column() -> None:
    head = ("Set", *(f"column{k}" for k in range(12)))
    row = (GridCell("first"), *(GridCell(f"{k}.00") for k in range(12)))
    latex = to_latex(Grid("broad", "Broad", head, (row,)))
    assert latex.count(r"\toprule") == 2
    assert latex.count("first & ") == 2
    assert all(f"column{k}" in latex for k in range(12))


def tabulate_all(db: Path) -> Iterator[str]:
    """A page for every table of the paper, filled with figures as long as they come."""
    for shape in TABLES:
        methods = ("ours", "eoh", "reevo", *(c.name for c in shape.columns if shape.ablation))
        methods = tuple(dict.fromkeys((*methods, "a-method-of-ones-own")))
        found = [
            measured(line.sets[0], name, (12345.67 + seed, 9876.5), "program", 1 + 3 * at + seed,
                     shape.problem)
            for line in shape.lines
            for at, name in enumerate(m for m in methods if m not in READ_OFF)
            for seed in range(3)
        ]  # fmt: skip
        for table in tabulate(db / f"{shape.name}.db", found, methods, (0, 1, 2)):
            yield to_latex(lay_out_print(table))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX is installed")
def test_every_table_compiles_and_fits_its_page(tmp_path: Path) -> None:
    body = "\\clearpage\n".join(tabulate_all(tmp_path))
    head = r"\documentclass{article}\usepackage{booktabs}\begin{document}"
    (tmp_path / "page.tex").write_text(f"{head}\n{body}\n\\end{{document}}\n", "utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    log = (tmp_path / "page.log").read_text("latin-1")
    assert done.returncode == 0, log[-2000:]
    assert "Overfull" not in log


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_line_of_the_paper_has_a_figure_for_every_column(table: PaperTable) -> None:
    for line in table.lines:
        assert len(line.figures) == len(table.columns)
        assert len(line.seconds) in (0, len(table.columns))


@given(st.text() | st.text("<>&|\\`*_[]()!#~$:/w.=\n\r %{}^", max_size=30))
def test_a_name_from_outside_is_text_in_a_report_and_nothing_else(name: str) -> None:
    grid = Grid("own", "runs", ("Side", "Cost"), ((GridCell(name), GridCell("1.5", "best")),))
    table = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(to_markdown(grid))
    shown = [token for token in table if token.type == "inline"]
    cells = ["".join(part.content for part in cell.children or ()) for cell in shown]
    assert cells == ["runs", "Side", "Cost", one_line(name), "1.5"]
    assert {part.type for part in shown[3].children or ()} <= {"text"}
    page = to_latex(grid)
    assert page.count("\n") == 13
    assert page.count(r"\input") == page.count("<script>") == 0


@pytest.mark.parametrize(
    ("name", "markdown", "latex"),
    [
        (r"\input{/etc/passwd}", r"\\input{/etc/passwd}", r"\textbackslash{}input\{/etc/passwd\}"),
        ("<b>x</b>", "&lt;b&gt;x&lt;/b&gt;", "<b>x</b>"),
        ("a\n| b | c |", r"a \| b \| c \|", "a | b | c |"),
        ("offline_l2d", "offline_l2d", r"offline\_l2d"),
        ("http://evil", "http&#58;//evil", "http://evil"),
    ],
)
def test_markup_in_a_name_is_escaped(name: str, markdown: str, latex: str) -> None:
    grid = Grid("own", "runs", ("Side", "Cost"), ((GridCell(name), GridCell("1")),))
    assert f"| {markdown} | 1 |" in to_markdown(grid)
    assert f"{latex} & 1 " in to_latex(grid)


def test_a_set_that_programs_were_found_on_is_warned_about(tmp_path: Path) -> None:
    found = [measured(one, "ours", (1.0,), "program", 1) for one in ("design", "selection", "x")]
    (table,) = tabulate(tmp_path / "runs.db", found)
    warned = [note for note in table.notes if "says nothing of others" in note]
    assert [note.partition(": what")[0] for note in warned] == [
        "WARNING: design is the design set",
        "WARNING: selection is the selection set",
    ]
