"""Small job shops, and programs to run on them."""

from __future__ import annotations

from hypothesis import strategies as st

from problems.jssp.instances import Instance


def shop(*jobs: str) -> Instance:
    """A shop from one word list a job, each word `machine:duration`."""
    rows = [[tuple(map(int, word.split(":"))) for word in job.split()] for job in jobs]
    durations = tuple(tuple(duration for _, duration in row) for row in rows)
    return Instance(
        "small", durations, tuple(tuple(machine for machine, _ in row) for row in rows)
    )


@st.composite
def shops(draw: st.DrawFn) -> Instance:
    """Any shop: short durations make ties and gaps, zero and repeated machines are included."""
    machines = draw(st.integers(1, 4))
    operation = st.tuples(st.integers(0, machines - 1), st.integers(0, 9))
    jobs = draw(st.lists(st.lists(operation, min_size=1, max_size=5), min_size=1, max_size=6))
    return shop(*(" ".join(f"{k}:{p}" for k, p in job) for job in jobs))
