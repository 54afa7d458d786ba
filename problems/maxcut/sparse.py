"""The contract and the seeds where programs are shown edges and gains, not a matrix."""

from __future__ import annotations

from dataclasses import replace

from problems.base import Argument, Contract, Rule
from problems.maxcut.contract import contract as dense_contract
from problems.maxcut.profile import WalkProfile
from problems.shared.programs import score_each

EDGES = (
    Argument(
        "starts",
        "the edges of vertex v stand at the places starts[v] to starts[v + 1] - 1 of neighbours "
        "and weights, a 1-D NumPy array of int64, read-only",
    ),
    Argument(
        "neighbours",
        "the other ends of all edges, ascending for every vertex, a 1-D NumPy array of int64, "
        "read-only; an edge stands there twice, once from each end",
    ),
    Argument("weights", "the weights of these edges, a 1-D NumPy array of float64, read-only"),
)
ARGUMENTS = (
    Argument(
        "spins",
        "the spins, a 1-D NumPy array of float64, each +1.0 or -1.0, a fresh one in every call",
    ),
    Argument(
        "gains",
        "gains[v] is what the cut gains when vertex v is flipped, a 1-D NumPy array of float64, a "
        "fresh one in every call",
    ),
    *EDGES,
    Argument(
        "last_flips",
        "last_flips[v] is the step at which vertex v was flipped last, -1 if it never was, a 1-D "
        "NumPy array of int64, a fresh one in every call",
    ),
    Argument(
        "flip_counts",
        "flip_counts[v] is how often vertex v was flipped so far, a 1-D NumPy array of int64, a "
        "fresh one in every call",
    ),
    Argument("current_cut", "the cut of these spins, a float"),
    Argument("best_cut", "the best cut on the walk so far, a float"),
    Argument("step", "the number of flips so far, an int"),
    Argument("max_steps", "the number of flips of the whole walk, an int"),
)

SIZES = (
    "winners are judged on sparse graphs of 200 to 20,000 vertices, where the time of a flip "
    "counts: work on whole arrays costs a few microseconds, a loop over all vertices much more"
)


def contract(profile: WalkProfile) -> Contract:
    """The contract; its task says from where and how long the profile lets a program walk."""
    return replace(dense_contract(profile), arguments=ARGUMENTS, sizes=SIZES)


HEAD = f"def select_flip_node({', '.join(argument.name for argument in ARGUMENTS)}):\n"
LOOP = """\
    gains, last_flips = gains.tolist(), last_flips.tolist()
    best_vertex, best_score = 0, -float("inf")
    for vertex in range(len(gains)):
        gain = gains[vertex]
        last = last_flips[vertex]
        age = max_steps if last < 0 else step - last
"""
TAIL = """\
        if score > best_score:
            best_vertex, best_score = vertex, score
    return best_vertex
"""
AGES = """\
    ages = step - last_flips
    ages[last_flips < 0] = max_steps
"""
TABU = """\
    tabu = (last_flips >= 0) & (last_flips >= step - {}) & (current_cut + gains <= best_cut)
    scores = gains.copy()
    scores[tabu] = -float("inf")
"""
BEST = "    return scores.argmax()\n"

_rule = score_each(HEAD + LOOP, TAIL)

SEEDS = (
    Rule(
        "greedy-flip",
        "Greedy: flip the vertex that raises the cut most, or lowers it least.",
        code=f"{HEAD}    return gains.argmax()\n",
    ),
    Rule(
        "tabu-flip",
        "Tabu: the best flip, no vertex again within 20 steps unless it leads to a new best cut.",
        code=HEAD + TABU.format(20) + BEST,
    ),
    Rule(
        "longer-tabu",
        "Tabu: no vertex again within as many steps as a fiftieth of the vertices, 10 at least.",
        code=f"{HEAD}    tenure = max(10, len(gains) // 50)\n{TABU.format('tenure')}{BEST}",
    ),
    Rule(
        "oldest-of-the-best",
        "The largest gain; among equal ones, the vertex not flipped for longest.",
        code=f"{HEAD}{AGES}    scores = gains + 0.5 * ages / max_steps\n{BEST}",
    ),
    Rule(
        "settle-down",
        "Gain, less a penalty on recent flips that shrinks to nothing towards the end.",
        code=f"""{HEAD}{AGES}\
    progress = step / max_steps
    scores = gains - 0.2 * (30 - ages).clip(0) * (1 - progress)
{BEST}""",
    ),
    Rule(
        "seldom-flipped",
        "Gain, less a penalty on vertices for every time they were flipped.",
        code=f"{HEAD}    scores = gains - 0.5 * flip_counts\n{BEST}",
    ),
    _rule(
        "soft-tabu",
        "Gain, less a penalty on recent flips that fades out within 20 steps.",
        "score = gain - 0.5 * max(0, 20 - age)",
    ),
    _rule(
        "leave-the-valley",
        "Gain, less a penalty on recent flips that grows with the distance to the best cut.",
        "shortfall = best_cut - current_cut",
        "score = gain - 0.1 * (1 + shortfall) * max(0, 20 - age)",
    ),
)
