"""The figures of the paper's result tables, as printed there; none was computed by us.

Source: its tables jssp_random, jssp_ood, tsp_results, cvrp_results, maxcut_results, ablation.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.domain.records import BEST_KNOWN
from engine.runtime.measure.solvers import TEACHER

Figures = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class PaperColumn:
    """A column of the paper: what it calls a solver, and what we call it.

    `name` is a method, a rule, the best known, or `teacher:` and how a teacher's name begins.
    """

    label: str
    name: str

    def holds(self, solver: str, is_teacher: bool) -> bool:
        """Whether a solver of ours belongs into this column."""
        return self.covers(PaperColumn(solver, f"{TEACHER}{solver}" if is_teacher else solver))

    def covers(self, other: PaperColumn) -> bool:
        """Whether a column is this one, or holds one of its teachers."""
        of_teachers = self.name.startswith(TEACHER)
        return other.name.startswith(self.name) if of_teachers else other.name == self.name


@dataclass(frozen=True, slots=True)
class PaperLine:
    """A data set of the paper: its name there, the sets here that it is or that stand in for it.

    `figures` and `seconds` go with the columns; None where the paper has no number.
    """

    label: str
    sets: tuple[str, ...]
    figures: Figures
    seconds: Figures = ()


@dataclass(frozen=True, slots=True)
class PaperTable:
    """One table of results: `decimals` as printed; an `ablation` has its methods as rows."""

    name: str
    title: str
    problem: str
    objective: str
    decimals: int
    columns: tuple[PaperColumn, ...]
    lines: tuple[PaperLine, ...]
    ablation: bool = False


_EVOLVED = (PaperColumn("Ours", "ours"), PaperColumn("EoH", "eoh"), PaperColumn("ReEvo", "reevo"))
_RULES = tuple(PaperColumn(name.upper(), name) for name in ("spt", "mwkr", "fdd-mwkr", "mor"))
_SHOP = (
    *_EVOLVED,
    *_RULES,
    PaperColumn("L2D", f"{TEACHER}l2d"),
    PaperColumn("Offline-LD", f"{TEACHER}offline-l2d"),
)
_ROUTE = (*_EVOLVED, PaperColumn("LEHD", f"{TEACHER}lehd"), PaperColumn("LKH", BEST_KNOWN))
_CUT = (*_EVOLVED, PaperColumn("ECO-DQN", f"{TEACHER}eco-dqn"))
_VARIANTS = (
    PaperColumn("Full", "ours"),
    PaperColumn("Performance-only", "performance-only"),
    PaperColumn("w/o analyzer guidance", "no-analyzer"),
    PaperColumn("w/o teacher-guided operators", "no-guided-operators"),
    PaperColumn("w/o Pareto update", "no-pareto"),
    PaperColumn("Max-align selection", "max-align"),
    PaperColumn("w/o structural rewrite (s)", "no-s"),
    PaperColumn("w/o parameter calibration (p)", "no-p"),
    PaperColumn("w/o mechanism fusion (m)", "no-m"),
)

JSSP_RANDOM = PaperTable(
    "jssp-random",
    "Randomly generated job shops",
    "jssp",
    "Makespan",
    2,
    _SHOP,
    (
        PaperLine(
            "10x10",
            ("random-10x10",),
            (915.87, 930.10, 916.71, 1231.49, 990.26, 955.38, 983.91, 988.26, 976.52),
            (1.81, 1.44, 1.51, 2.69, 2.85, 2.85, 2.84, 17.45, 12.51),
        ),
        PaperLine(
            "15x15",
            ("random-15x15",),
            (1379.13, 1394.03, 1409.71, 1879.15, 1504.41, 1463.33, 1497.08, 1508.62, 1499.30),
            (6.06, 6.75, 5.78, 8.66, 9.77, 9.87, 9.73, 37.01, 114.26),
        ),
        PaperLine(
            "20x20",
            ("random-20x20",),
            (1812.15, 1866.92, 1867.06, 2542.51, 1976.06, 1946.20, 1994.22, 1998.63, 1971.33),
            (18.59, 20.80, 18.41, 23.09, 27.09, 27.37, 27.02, 68.10, 228.69),
        ),
    ),
)

JSSP_OOD = PaperTable(
    "jssp-ood",
    "Job shops out of distribution: larger random ones, Taillard's",
    "jssp",
    "Makespan",
    2,
    _SHOP,
    (
        PaperLine(
            "Random 30x20",
            ("random-30x20",),
            (2284.81, 2342.28, 2354.19, 3222.13, 2499.05, 2454.21, 2483.91, 2481.87, 2476.46),
            (56.25, 63.92, 55.34, 61.07, 75.25, 76.19, 75.19, 113.48, 455.81),
        ),
        PaperLine(
            "Random 50x20",
            ("random-50x20",),
            (3238.16, 3333.54, 3324.71, 4486.27, 3513.67, 3467.97, 3489.32, 3457.56, 3476.96),
            (234.48, 274.93, 236.04, 229.91, 292.70, 294.66, 293.36, 228.95, 1022.98),
        ),
        PaperLine(
            "Taillard 20x20",
            ("taillard-20x20",),
            (1916.30, 1965.20, 1959.40, 2672.40, 2079.50, 2015.40, 2069.70, 2097.30, 2071.10),
            (1.83, 2.07, 1.78, 2.43, 2.70, 2.74, 2.70, 10.30, 26.96),
        ),
        PaperLine(
            "Taillard 30x20",
            ("taillard-30x20",),
            (2411.40, 2446.10, 2454.20, 3260.40, 2615.00, 2565.70, 2619.80, 2598.70, 2607.00),
            (6.40, 6.35, 6.32, 6.11, 7.43, 7.52, 7.44, 14.11, 41.95),
        ),
    ),
)

TSP = PaperTable(
    "tsp",
    "Tours",
    "tsp",
    "Tour length",
    3,
    _ROUTE,
    (
        PaperLine(
            "TSP50",
            ("tsp50-paper", "tsp50"),
            (6.387, 6.912, 7.014, 5.739, 5.709),
            (0.28, 0.13, 0.05, 0.10, 1.05),
        ),
        PaperLine(
            "TSP200",
            ("tsp200-paper", "tsp200"),
            (12.250, 13.520, 13.376, 10.796, 10.704),
            (4.49, 0.77, 0.14, 2.97, 11.75),
        ),
        PaperLine(
            "TSPLIB70",
            ("tsplib",),
            (86544.10, 94535.89, 90623.59, 78517.23, 73156.01),
            (464.92, 505.64, 6.66, 388.81, None),
        ),
    ),
)

CVRP = PaperTable(
    "cvrp",
    "Vehicle routes",
    "cvrp",
    "Route length",
    3,
    _ROUTE,
    (
        PaperLine(
            "CVRP50",
            ("cvrp50",),
            (9.671, 9.689, 10.056, 8.180, 7.828),
            (0.16, 1.09, 0.45, 0.11, None),
        ),
        PaperLine(
            "CVRP200",
            ("cvrp200-paper", "cvrp200"),
            (25.371, 26.250, 27.270, 20.832, 20.34),
            (7.12, 59.20, 22.89, 2.65, None),
        ),
        PaperLine(
            "VRPLIB192",
            ("vrplib",),
            (37780.72, 38448.92, 39848.49, 39120.68, 33281.32),
            (282.31, 1466.31, 536.32, 234.03, None),
        ),
    ),
)

MAXCUT = PaperTable(
    "maxcut",
    "Maximum cuts",
    "maxcut",
    "Cut",
    2,
    _CUT,
    (
        PaperLine(
            "BA200w",
            ("ba200w-eco", "ba200w"),
            (189.85, 189.76, 181.96, 184.32),
            (43.41, 16.40, 20.80, 126.19),
        ),
        PaperLine(
            "ER200w",
            ("er200w-eco", "er200w"),
            (399.25, 398.72, 394.77, 394.39),
            (56.61, 16.41, 23.33, 134.77),
        ),
        PaperLine(
            "BA800u",
            ("ba800u",),
            (2298.19, 2287.28, 2241.08, 2286.85),
            (265.57, 109.84, 245.96, 135.26),
        ),
        PaperLine(
            "BA800w",
            ("ba800w",),
            (721.36, 709.92, 677.21, 703.43),
            (264.34, 133.17, 249.75, 134.31),
        ),
        PaperLine(
            "ER800u",
            ("gset-er800u", "er800u"),
            (11335.00, 11324.80, 11314.00, 11325.80),
            (47.20, 14.44, 37.77, 55.42),
        ),
        PaperLine(
            "ER800w",
            ("gset-er800w", "er800w"),
            (1881.80, 1863.60, 1813.00, 1839.00),
            (43.90, 13.32, 37.88, 58.27),
        ),
        PaperLine(
            "Physics", ("physics",), (109.40, 109.20, 108.60, 108.40), (3.29, 1.54, 1.49, 18.88)
        ),
    ),
)

ABLATION_JSSP = PaperTable(
    "ablation-jssp",
    "Ablations on job shops",
    "jssp",
    "Makespan",
    2,
    _VARIANTS,
    (
        PaperLine(
            "In-domain",
            ("random-20x20",),
            (1812.15, 1899.79, 1871.77, 1852.39, 1816.24, 1845.26, 1937.92, 1851.72, 1913.72),
        ),
        PaperLine(
            "OOD",
            ("taillard-20x20",),
            (1916.30, 1967.20, 1964.00, 1966.80, 1934.90, 1909.10, 2011.50, 1936.80, 2002.30),
        ),
    ),
    ablation=True,
)

ABLATION_TSP = PaperTable(
    "ablation-tsp",
    "Ablations on tours",
    "tsp",
    "Tour length",
    3,
    _VARIANTS,
    (
        PaperLine(
            "In-domain",
            ("tsp50-paper", "tsp50"),
            (6.387, 7.050, 7.152, 7.185, 6.986, 6.395, 7.243, 7.360, 6.793),
        ),
        PaperLine(
            "OOD",
            ("tsp200-paper", "tsp200"),
            (12.250, 13.900, 14.022, 13.497, 13.694, 12.332, 14.202, 14.204, 13.715),
        ),
    ),
    ablation=True,
)

TABLES = (JSSP_RANDOM, JSSP_OOD, TSP, CVRP, MAXCUT, ABLATION_JSSP, ABLATION_TSP)
"""All of them, in the paper's order; the ablation table in its two halves."""
