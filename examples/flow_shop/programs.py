"""The programs that a search starts from: classical rules of the flow shop, as text.

All name the same features of a job, so that a rule can take over what another looks at.
"""

from __future__ import annotations

from preceptor import Rule

FEATURES = """\
    jobs = range(len(times))
    last = len(times[0]) - 1
    total = [sum(row) for row in times]
    slope = [sum((2 * k - last) * time for k, time in enumerate(row)) for row in times]
    first = [row[0] for row in times]
    final = [row[-1] for row in times]
    longest = [max(row) for row in times]
"""
"""What may be said of a job: its work, whether its work grows along the machines, its ends."""

MAKESPAN = """\
def makespan(times, order):
    ready = [0] * len(times[0])
    for job in order:
        before = 0
        for machine, time in enumerate(times[job]):
            before = max(before, ready[machine]) + time
            ready[machine] = before
    return ready[-1]


"""

IDLE = """\
def idle(times, order):
    ready = [0] * len(times[0])
    waited = 0
    for place, job in enumerate(order):
        before = 0
        for machine, time in enumerate(times[job]):
            if place:
                waited += max(0, before - ready[machine])
            before = max(before, ready[machine]) + time
            ready[machine] = before
    return waited


"""

PALMER = f"""def solve(times):
{FEATURES}    return sorted(jobs, key=lambda job: -slope[job])
"""

NEH = f"""{MAKESPAN}def solve(times):
{FEATURES}    queue = sorted(jobs, key=lambda job: -total[job])
    order = []
    for job in queue:
        trials = [order[:place] + [job] + order[place:] for place in range(len(order) + 1)]
        order = min(trials, key=lambda trial: makespan(times, trial))
    return order
"""

LEAST_IDLE = f"""{MAKESPAN}{IDLE}def solve(times):
    queue = [job for _, job in sorted((-sum(row), job) for job, row in enumerate(times))]
    order = []
    for job in queue:
        trials = [order[:place] + [job] + order[place:] for place in range(len(order) + 1)]
        order = min(trials, key=lambda trial: makespan(times, trial) + 0.01 * idle(times, trial))
    return order
"""

CDS = f"""{MAKESPAN}def johnson(heads, tails):
    jobs = range(len(heads))
    early = sorted((job for job in jobs if heads[job] < tails[job]), key=lambda job: heads[job])
    late = sorted((job for job in jobs if heads[job] >= tails[job]), key=lambda job: -tails[job])
    return early + late


def solve(times):
    orders = []
    for cut in range(1, len(times[0])):
        heads = [sum(row[:cut]) for row in times]
        tails = [sum(row[-cut:]) for row in times]
        orders.append(johnson(heads, tails))
    return min(orders, key=lambda order: makespan(times, order))
"""

REINSERTED = NEH.replace(
    "    return order\n",
    """\
    improved = True
    while improved:
        improved = False
        for job in queue:
            rest = [other for other in order if other != job]
            trials = [rest[:place] + [job] + rest[place:] for place in range(len(order))]
            best = min(trials, key=lambda trial: makespan(times, trial))
            if makespan(times, best) < makespan(times, order):
                order = best
                improved = True
    return order
""",
)

SEEDS = (
    Rule(
        "palmer",
        "Jobs whose work grows along the machines come first (Palmer 1965).",
        code=PALMER,
    ),
    Rule(
        "neh",
        "Jobs by falling work, each inserted where the makespan is least (Nawaz et al. 1983).",
        code=NEH,
    ),
    Rule(
        "neh-least-idle",
        "The same, and of places as good that where machines wait least.",
        code=LEAST_IDLE,
    ),
)
RULES = (
    *SEEDS,
    Rule(
        "cds",
        "Johnson's rule on every cut of the machines into two, the best order of these "
        "(Campbell, Dudek and Smith 1970).",
        code=CDS,
    ),
    Rule(
        "neh-reinserted",
        "NEH, then every job is taken out and inserted anew until that helps nowhere.",
        code=REINSERTED,
    ),
)
