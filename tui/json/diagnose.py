"""The JSON of `preceptor diagnose`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tui.json.runs import describe_case

if TYPE_CHECKING:
    from engine.api.measure.diagnose import DiagnosisReport


def describe_diagnosis(found: DiagnosisReport) -> dict[str, Any]:
    """`diagnose --json` (design 10)."""
    d = found.diagnostics
    return {
        "problem": found.problem,
        "set": found.set,
        "solver": found.solver,
        "teacher": found.teacher,
        "states": d.states,
        "agreement": d.agreement,
        "chance": d.chance,
        "stderr": d.stderr,
        "value": d.value,
        "percentile": d.percentile,
        "tied": d.tied,
        "dropped": d.dropped,
        "advice": None if d.advice is None else asdict(d.advice),
        "real": None if d.real is None else asdict(d.real),
        "cases": [describe_case(case) for case in d.cases],
    }
