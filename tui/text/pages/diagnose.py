"""A teacher's diagnostics of a solver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.text.formatting import format_advice, format_real, number, share, table

if TYPE_CHECKING:
    from engine.api.measure.diagnose import DiagnosisReport
    from engine.domain.values import Case

DRAWN = 3
"""How many cases are shown with a picture of their state; the others take a line each."""


def page_diagnosis(found: DiagnosisReport) -> str:
    """The figures, the most informative cases in full, the others in a line each."""
    d = found.diagnostics
    figures = [
        f"{found.solver} on {found.set} of {found.problem}, on its own states, "
        f"teacher {found.teacher}",
        f"agreement  {share(d.agreement)} ± {share(d.stderr)}, chance {share(d.chance)}",
        f"value      {share(d.value)}",
        f"percentile {share(d.percentile)}",
        f"states     {d.states}, {d.tied} with ties, {d.dropped} slots without a choice",
        *filter(None, [format_real(d), format_advice(d.advice)]),
    ]
    cases = list(zip(d.cases, found.pictures, strict=True))
    full = [f"{format_case(case)}\n{picture}\n{_compare(case)}" for case, picture in cases[:DRAWN]]
    brief = "\n".join(format_case(case) for case, _ in cases[DRAWN:])
    return "\n\n".join(["\n".join(figures), *full, *([brief] if brief else [])])


def format_case(case: Case) -> str:
    """Where it was, and what the program and the teacher choose there."""
    where = f"instance {case.instance}, step {case.step}, {case.actions} actions"
    if case.chosen == case.preferred:
        return f"{where}: both take {case.chosen}"
    later = " (which comes later to the same effect)" if case.later else ""
    regret = f"regret {share(case.regret)}"
    both = f"{where}: takes {case.chosen}, the teacher {case.preferred}{later}, {regret}"
    if case.costs is None:
        return both
    own, other = case.costs
    return f"{both}, cost {number(other)} instead of {number(own)}"


def _compare(case: Case) -> str:
    """The fields of the chosen action beside those of the preferred one."""
    preferred = dict(case.preferred_fields)
    rows = [(name, number(value), number(preferred[name])) for name, value in case.chosen_fields]
    return table(("field", f"chosen {case.chosen}", f"preferred {case.preferred}"), rows)
