"""How two programs compare over the same instances: small worlds, literal answers."""

from __future__ import annotations

from engine.search.paired import complement, lower_costs


def test_the_better_of_two_costs_is_kept_and_one_alone_counts() -> None:
    assert lower_costs((3.0, 2.0, None, None), (1.0, 5.0, 4.0, None)) == (1.0, 2.0, 4.0, None)
    assert lower_costs((3.0, 2.0), (None, None)) == (3.0, 2.0)


def test_a_second_program_saves_what_it_does_better_and_nothing_where_one_failed() -> None:
    assert complement((3.0, 2.0, None, 9.0), (1.0, 5.0, 4.0, None)) == 2.0
    assert complement((3.0, 2.0), (1.0,)) == complement((3.0,), (1.0, 5.0)) == 2.0
