"""The seeds of a search, and the heuristics for whole graphs, as walks of a profile.

Seeds with a loop over scores begin alike: what a score may read is computed first and has the same
name everywhere, so that a part of one score means the same in another.
"""

from __future__ import annotations

from problems.base import Rule
from problems.errors import UserError
from problems.maxcut.instances import Instance, Sides, as_spins, build_edges
from problems.maxcut.profile import WalkProfile
from problems.shared.programs import score_each

TENURE = 50


def tabu_search(instance: Instance, sides: bytes, steps: int, tenure: int = TENURE) -> list[int]:
    """The vertices flipped on a walk of some steps; among equal ones the lowest is flipped.

    Tabu search as it is usual (F. Glover, "Tabu search - part I", 1989): the best flip, none twice
    within a tenure, unless to a new best.
    """
    import numpy as np

    graph = build_edges(instance)
    spins = as_spins(sides)
    gains = graph.gains(spins)
    free_from = np.zeros(instance.size)
    cut = 0.0
    best = 0.0
    taken = list[int]()
    for step in range(steps):
        allowed = (free_from <= step) | (cut + gains > best)
        vertex = int(np.where(allowed, gains, -np.inf).argmax())
        cut += gains[vertex]
        best = max(best, cut)
        graph.flip(spins, gains, vertex)
        free_from[vertex] = step + 1 + tenure
        taken.append(vertex)
    return taken


HEAD = (
    "def select_flip_node(spins, adjacency, current_cut, best_cut, step, max_steps, "
    "flip_history):\n"
)
LOOP = """\
    gains = (spins * (adjacency @ spins)).tolist()
    ages, counts = [max_steps] * len(gains), [0] * len(gains)
    for moment, flipped in enumerate(flip_history):
        ages[flipped] = step - moment
        counts[flipped] += 1
    best_vertex, best_score = 0, -float("inf")
    for vertex in range(len(spins)):
        gain = gains[vertex]
"""
TAIL = """\
        if score > best_score:
            best_vertex, best_score = vertex, score
    return best_vertex
"""
AGE = "age = ages[vertex]"
"""Steps since the last flip of the vertex, `max_steps` if there was none."""

_rule = score_each(HEAD + LOOP, TAIL)

SEEDS = (
    Rule(
        "greedy-flip",
        "Greedy: flip the vertex that raises the cut most, or lowers it least.",
        code=f"""{HEAD}\
    gains = spins * (adjacency @ spins)
    return gains.argmax()
""",
    ),
    Rule(
        "tabu-flip",
        "Tabu: the best flip, no vertex again within 20 steps unless it leads to a new best cut.",
        code=f"""{HEAD}\
    gains = spins * (adjacency @ spins)
    tabu = [vertex for vertex in flip_history[-20:] if current_cut + gains[vertex] <= best_cut]
    gains[tabu] = -float("inf")
    return gains.argmax()
""",
    ),
    _rule(
        "oldest-of-the-best",
        "The largest gain; among equal ones, the vertex not flipped for longest.",
        AGE,
        "score = gain + 0.001 * age",
    ),
    _rule(
        "soft-tabu",
        "Gain, less a penalty on recent flips that fades out within 20 steps.",
        AGE,
        "score = gain - 0.5 * max(0, 20 - age)",
    ),
    _rule(
        "fading-memory",
        "Gain, less a penalty on earlier flips in inverse proportion to their age.",
        AGE,
        "score = gain - 20 / age",
    ),
    _rule(
        "seldom-flipped",
        "Gain, less a penalty on vertices for every time they were flipped.",
        "count = counts[vertex]",
        "score = gain - 0.5 * count",
    ),
    _rule(
        "settle-down",
        "Gain, less a penalty on recent flips that shrinks to nothing towards the end.",
        AGE,
        "progress = step / max_steps",
        "score = gain - 0.2 * max(0, 30 - age) * (1 - progress)",
    ),
    _rule(
        "leave-the-valley",
        "Gain, less a penalty on recent flips that grows with the distance to the best cut.",
        AGE,
        "shortfall = best_cut - current_cut",
        "score = gain - 0.1 * (1 + shortfall) * max(0, 20 - age)",
    ),
)

RUNS = 20
"""Runs of annealing as a rule."""

SWEEPS = 1000
"""Turns of every vertex in each."""


def solvers(profile: WalkProfile) -> tuple[Rule, ...]:
    """The heuristics for whole graphs, told as walks of a profile."""

    def search(instance: Instance) -> list[int]:
        taken = list[int]()
        steps = profile.flips(instance.size)
        for attempt in range(profile.attempts):
            taken += tabu_search(instance, profile.start(instance, attempt), steps)
        return taken

    def anneal(instance: Instance) -> list[int]:
        from problems.maxcut.annealing import anneal as run

        best, _ = run(instance, RUNS, SWEEPS)
        return lead_to(best, instance, profile)

    return (
        Rule("tabu", f"Tabu search of tenure {TENURE}, as long as a walk.", solve=search),
        Rule(
            "annealing",
            f"Simulated annealing, {RUNS} runs of {SWEEPS} sweeps, far longer than a walk; its "
            "actions flip what differs between start and best cut.",
            solve=anneal,
        ),
    )


def lead_to(target: Sides, instance: Instance, profile: WalkProfile) -> list[int]:
    """The actions that lead to a bipartition or its mirror image, which has the same cut.

    They flip every vertex at most once in the first attempt, half of them at most; later flips
    move vertex 0 to and fro. Raises UserError when an attempt is shorter than that.
    """
    length = profile.flips(instance.size)
    start = profile.start(instance, 0)
    differ = [vertex for vertex, side in enumerate(start) if side != target[vertex]]
    agree = [vertex for vertex, side in enumerate(start) if side == target[vertex]]
    flips = min(differ, agree, key=len)
    if len(flips) > length:
        raise UserError(f"its best cut is {len(flips)} flips away, but a walk has only {length}")
    return flips + [0] * (length * profile.attempts - len(flips))
