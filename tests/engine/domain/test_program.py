"""Programs are compared by their syntax alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.domain.program import syntax_match

RULE = "def score(a, b):\n    x = a.weight * 2\n    return x - b.time if x else 0\n"
RENAMED = "def other(c, d):\n    y = c.size * 7\n    return y - d.when if y else 1\n"
ATOMS = st.sampled_from(["a", "b", "1", "a.x"])
TERMS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map("({0[0]} {0[1]} {0[2]})".format),
        inner.map("abs({})".format),
    ),
)


def test_names_and_numbers_do_not_count() -> None:
    assert syntax_match(RULE, RENAMED) == syntax_match(RENAMED, RULE) == 1.0


def test_it_is_the_share_of_the_first_that_occurs_in_the_second() -> None:
    short = "x = a.b * 2\n"
    assert (
        syntax_match(short, RULE) == 3 / 4
    )  # its module alone is another: the assignment is there
    assert syntax_match(RULE, short) < 1 / 2
    assert syntax_match("", RULE) == 1.0


@given(TERMS, TERMS)
def test_a_match_is_a_share_and_whole_with_itself(one: str, other: str) -> None:
    assert 0 <= syntax_match(one, other) <= 1
    assert syntax_match(one, one) == 1
    assert syntax_match(one, f"{one}\n{other}") < 1
