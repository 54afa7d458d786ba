"""The text contract of the job shop: what every field means, in which unit."""

from __future__ import annotations

from problems.base import Argument, Contract, Field

TASK = """\
Job shop scheduling. Every job is a fixed sequence of operations; each operation needs one given
machine for a given time, and a machine does one operation at a time. A schedule is built one
operation at a time. At every step the candidates are the next operations of all unfinished jobs;
the program scores each candidate, and the one with the highest score is placed. It starts at the
earliest idle interval of its machine, after its job's previous operation, that is long enough for
it (before the first operation and between operations already placed, which never move), or else
after the last operation of the machine. All times are integers in the same unit."""

FEATURE = (
    Field("job_id", "id", "the job, from 0"),
    Field("op_index", "count", "position of the operation in its job, from 0"),
    Field("machine_id", "id", "the machine that the operation needs, from 0"),
    Field("processing_time", "time", "duration of the operation"),
    Field(
        "remaining_work",
        "time",
        "sum of the durations of the job's operations not yet placed, this one included",
    ),
    Field("earliest_start", "time", "when the operation would start if placed now"),
    Field("earliest_finish", "time", "when it would then end"),
    Field("job_ready_time", "time", "end of the job's previous operation, 0 if none"),
    Field(
        "machine_ready_time",
        "time",
        "end of the last operation placed on the machine, 0 if none; it can lie after "
        "earliest_start when an idle interval before it is used",
    ),
    Field(
        "machine_total_work",
        "time",
        "sum of the durations of all operations not yet placed on the machine, this one included",
    ),
    Field(
        "machine_queue_len",
        "count",
        "number of candidates at this step that need the same machine, this one included",
    ),
    Field("job_progress", "ratio", "op_index over the number of the job's operations, a float"),
    Field(
        "lower_bound_after",
        "time",
        "earliest_finish plus the durations of the job's later operations",
    ),
    Field(
        "next_machine_total_work",
        "time",
        "the same as machine_total_work for the machine of the job's following operation, 0 if "
        "there is none",
    ),
    Field(
        "next_machine_queue_len",
        "count",
        "number of candidates at this step that need that machine, 0 if there is none",
    ),
)
STATE = (
    Field("instance.durations", "", "durations[job][op], a tuple of tuples of int"),
    Field("instance.machines", "", "machines[job][op], a tuple of tuples of int"),
    Field("makespan", "time", "latest end of all operations placed so far, 0 if none, an int"),
    Field("step", "count", "number of operations placed so far, an int"),
    Field("smallest_start", "time", "the smallest earliest_start of all candidates, an int"),
    Field("mean_remaining_work", "time", "mean remaining_work of all candidates, a float"),
)
SIZES = (
    "winners are judged on 10 jobs on 10 machines, on 20 on 20, and on up to 50 on 20, where the "
    "time of a decision counts"
)

CONTRACT = Contract(
    task=TASK,
    function="score",
    arguments=(
        Argument(
            "feature",
            "the candidate to be scored, read-only, ints where nothing else is said",
            FEATURE,
        ),
        Argument(
            "state",
            "the instance and the schedule so far, read-only",
            STATE,
        ),
    ),
    answer="score",
    result="a finite real number; ties go to the lowest job_id",
    objective="minimise the makespan, the end of the last operation of the finished schedule",
    sizes=SIZES,
)
