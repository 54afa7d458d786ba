"""Job shop states as the arrays that the networks read: one node an operation (L2D's graph).

A node has two features, its end-time lower bound and whether it is scheduled, and receives
messages from at most two others: the operation before it in its job and, once scheduled, the
operation right before it on its machine. Two index columns hold the whole graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from problems.jssp.instances import Instance
from problems.jssp.state import State

LONGEST = 99
"""The networks have seen durations up to here; longer ones are scaled down to it."""
THOUSAND = 1000.0


@dataclass(frozen=True, slots=True)
class ShopGraphs:
    """B states of n jobs with m operations each, N = n * m nodes, node = job * m + operation.

    `features` [B, N, 2]: lower bound on the end time in thousands, and 1 where scheduled.
    `before` [2, B * N]: row in the flattened nodes of the predecessor in the job and of the one
    on the machine, B * N where there is none. `candidates` [B, n]: row of the next operation of
    every job, of its last one where the job is finished.
    """

    features: np.ndarray
    before: np.ndarray
    candidates: np.ndarray


def graphs(states: Sequence[State]) -> ShopGraphs:
    """The graphs of states that share one size."""
    shops = {id(state.instance): state.instance for state in states}
    tables = {key: _tables(instance) for key, instance in shops.items()}
    work, machines, scale = (
        np.stack(columns)
        for columns in zip(*(tables[id(state.instance)] for state in states), strict=True)
    )
    next_op = np.array([state.next_op for state in states])
    ready = np.array([state.job_ready for state in states])
    bounds = _bounds(ready, next_op, work)
    previous = np.full(work.size, work.size)
    _place(states, next_op, machines.reshape(-1), bounds.reshape(-1), previous)
    return assemble(bounds * scale[:, None, None], previous, next_op)


def assemble(bounds: np.ndarray, previous: np.ndarray, next_op: np.ndarray) -> ShopGraphs:
    """Graphs from end-time bounds [B, n, m], machine predecessors [B * N], next_op [B, n]."""
    count, jobs, length = bounds.shape
    scheduled = np.arange(length) < next_op[:, :, None]
    features = np.stack([bounds / THOUSAND, scheduled], axis=-1)
    rows = np.arange(bounds.size)
    in_job = np.where(rows % length == 0, bounds.size, rows - 1)
    firsts = np.arange(0, bounds.size, length).reshape(count, jobs)
    candidates = firsts + np.minimum(next_op, length - 1)
    shape = (count, jobs * length, 2)
    return ShopGraphs(features.reshape(shape), np.stack([in_job, previous]), candidates)


def _tables(instance: Instance) -> tuple[np.ndarray, np.ndarray, float]:
    durations = np.array(instance.durations)
    scale = min(1.0, LONGEST / max(1, durations.max()))
    return durations.cumsum(axis=1), np.array(instance.machines), scale


def _bounds(ready: np.ndarray, next_op: np.ndarray, work: np.ndarray) -> np.ndarray:
    """End-time bounds as if nothing were scheduled but the job's ready time: [B, n, m]."""
    last = np.maximum(next_op - 1, 0)[:, :, None]
    done = np.where(next_op > 0, np.take_along_axis(work, last, axis=2)[:, :, 0], 0)
    bounds: np.ndarray = (ready - done)[:, :, None] + work
    return bounds


def _place(
    states: Sequence[State],
    next_op: np.ndarray,
    machines: np.ndarray,
    bounds: np.ndarray,
    previous: np.ndarray,
) -> None:
    """Write the ends and the machine predecessors of the placed operations, nodes flattened."""
    lines = chain.from_iterable(state.machines for state in states)
    numbers = chain.from_iterable(chain.from_iterable(lines))
    placed = np.fromiter(numbers, np.int64).reshape(-1, 4)  # start, end, job, operation
    nodes = machines.size // len(states)
    length = machines.size // next_op.size
    owner = np.repeat(np.arange(len(states)), next_op.sum(axis=1))
    rows = owner * nodes + placed[:, 2] * length + placed[:, 3]
    bounds[rows] = placed[:, 1]
    line = owner * nodes + machines[rows]
    follows = line[1:] == line[:-1]
    previous[rows[1:][follows]] = rows[:-1][follows]
