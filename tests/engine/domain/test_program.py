"""Programs are compared by their syntax alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.domain.program import keeps_results, plans, syntax_match

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


RATIO = (
    "def f(here, nodes, d):\n    return min(nodes, key=lambda n: sum(d[n][m] for m in nodes))\n"
)
WALK = "def f(here, nodes, d):\n    while nodes:\n        here = nodes.pop()\n    return here\n"
TRIED = """
def cost(node, nodes, d):
    return sum(min(d[a][b] for b in nodes) for a in nodes)

def f(here, nodes, d):
    return best(nodes, d)

def best(nodes, d):
    return min([cost(node, nodes, d) for node in nodes])
"""


def test_a_program_plans_that_has_an_open_loop_or_loops_three_deep_helpers_counted() -> None:
    assert plans(WALK) and plans(TRIED)
    assert not plans(RATIO)
    assert not plans(TRIED.replace("[cost(node, nodes, d) for node in nodes]", "nodes"))
    assert plans("def f(a):\n    return [x for b in a for c in b for x in c]\n")


def test_a_program_that_keeps_what_a_helper_returned_plans() -> None:
    kept = (
        "import functools\n@functools.cache\ndef g(a):\n    return a\ndef f(a):\n    return g(a)\n"
    )
    assert plans(kept)
    assert not plans("def g(a):\n    return a\ndef f(a):\n    return g(a)\n")


def test_a_function_that_calls_itself_in_a_loop_plans_and_one_that_is_unknown_does_not() -> None:
    assert plans("def f(a):\n    return max(f(b) for b in a)\n")
    assert not plans("def f(a):\n    return max(g(b) for b in a)\n")


@given(st.one_of(st.text(), TERMS.map("def f(a, b):\n    return {}".format)))
def test_of_any_text_it_can_be_told_whether_it_plans(text: str) -> None:
    assert plans(text) in (False, True)
    assert not keeps_results(text)
    assert not plans(f"{text}\n)")


def test_results_are_kept_by_functools_and_not_in_a_name_of_ones_own() -> None:
    function = "def f(a):\n    return a\n"
    assert keeps_results(f"from functools import cache as kept\n@kept\n{function}")
    assert keeps_results(f"import functools as t\n@t.lru_cache(maxsize=None)\n{function}")
    assert not keeps_results(f"from functools import reduce\ncache = {{}}\n{function}")


def test_text_too_deep_for_a_tree_does_not_plan() -> None:
    assert not plans("x = " + "-" * 100_000 + "1")
    assert not keeps_results("x = " + "-" * 100_000 + "1")
    assert not plans("def f(a):\n    return a" + " + a" * 3_000 + "\n")
