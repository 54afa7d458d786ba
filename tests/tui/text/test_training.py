"""A training's lines: points of a curve and words, whatever is on them."""

from __future__ import annotations

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.domain.text.plain_text import clean
from teachers.training.measure import TrainingProgress
from tui.json.measures import describe_training
from tui.text.pages.teachers import TrainingCurve

VALUES: st.SearchStrategy[object] = st.one_of(
    st.sampled_from([None, True, 0, 0.5, -1, 1e300, 10**400, float("nan")]), st.text(max_size=5)
)
FIGURES = ("stage", "done", "left", "loss", "cost", "best")


def test_progress_is_told_in_words_and_drawn_once_there_are_two_points() -> None:
    curve = TrainingCurve()
    for done, cost in ((0.1, 2000.0), (0.5, 1950.5), (0.6, None)):
        said = TrainingProgress("training", done, 60.0, loss=1.5, cost=cost, best=cost)
        told = curve.read(json.dumps(describe_training(said)))
    assert told == "training 60%, loss 1.5, 1 min 0 s left"
    assert curve.points == [(0.1, 2000.0), (0.5, 1950.5)]
    page = curve.page(76, 9)
    assert "validation cost" in page
    assert page.endswith(told)
    assert curve.read("not JSON") == "not JSON"


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.dictionaries(st.sampled_from(FIGURES), VALUES), max_size=4), st.text(max_size=20)
)
def test_no_line_breaks_the_curve(said: list[dict[str, object]], line: str) -> None:
    curve = TrainingCurve()
    curve.read(line)
    for one in said:
        curve.read(json.dumps({"event": "training-progress", **one}))
    page = curve.page(60, 9)
    assert clean(page) == page
