"""The text contract of the job shop under `state=plan`."""

from __future__ import annotations

from problems.base import WHERE_IT_PAYS, Argument, Contract
from problems.jssp.contract import SIZES

OPEN = 10**15
"""End of the idle time after the last operation of a machine, later than any time there is."""

TASK = """\
Job shop scheduling. Every job is a fixed sequence of operations; each operation needs one given
machine for a given time, and a machine does one operation at a time. A schedule is built one
operation at a time. At every step the program chooses one of the unfinished jobs, whose next
operation is then placed. It starts at the earliest idle interval of its machine, after its job's
previous operation, that is long enough for it (before the first operation and between operations
already placed, which never move), or else after the last operation of the machine. All times are
integers in the same unit. The arguments say all that the rest of the schedule depends on: with
copies of them a program can place operations itself, to the end, exactly as the evaluator will,
and compare the makespans that its choices lead to. Jobs j, operations o, machines k and idle
intervals g are numbered from 0; all arguments are NumPy arrays of int64, `durations`, `machines`,
`work_left` and `op_count` read-only, the others fresh ones in every call."""

ARGUMENTS = (
    Argument("candidates", "the unfinished jobs, ascending, at least one", unit="id"),
    Argument(
        "durations",
        "durations[j, o], how long operation o of job j takes, 0 behind the job's last operation",
        unit="time",
    ),
    Argument(
        "machines", "machines[j, o], the machine that it needs, -1 behind the last", unit="id"
    ),
    Argument(
        "work_left",
        "work_left[j, o], sum of the durations of job j from operation o on, o included; it has "
        "one column more than durations",
        unit="time",
    ),
    Argument("op_count", "op_count[j], number of operations of job j", unit="count"),
    Argument(
        "next_op",
        "next_op[j], number of operations of job j placed so far, hence its next operation",
        unit="count",
    ),
    Argument(
        "job_ready",
        "job_ready[j], end of the last operation placed of job j, 0 if none; the largest of them "
        "is the makespan so far",
        unit="time",
    ),
    Argument(
        "machine_ready",
        "machine_ready[k], end of the last operation placed on machine k, 0 if none",
        unit="time",
    ),
    Argument(
        "next_start",
        "next_start[j], when the next operation of job j would start if placed now, -1 if it has "
        "none",
        unit="time",
    ),
    Argument("gap_count", "gap_count[k], number of idle intervals of machine k", unit="count"),
    Argument(
        "gap_start",
        "gap_start[k, g], start of idle interval g of machine k, in order of time; the last one "
        "lies after the machine's last operation; those before it that are shorter than any "
        "operation of the shop are left out. There is room for the intervals of all steps to "
        "come, 0 where there is none yet",
        unit="time",
    ),
    Argument(
        "gap_end",
        f"gap_end[k, g], its end, {OPEN} of the last one",
        unit="time",
    ),
)


def contract() -> Contract:
    """The contract: one call a decision, which returns a job."""
    return Contract(
        task=TASK,
        function="choose",
        arguments=ARGUMENTS,
        answer="action",
        result="one of candidates, as an int or a NumPy integer",
        objective="minimise the makespan, the end of the last operation of the finished schedule",
        sizes=SIZES,
        compiled=WHERE_IT_PAYS,
    )
