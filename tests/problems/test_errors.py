"""What an error says."""

from __future__ import annotations

from problems.errors import UnknownName


def test_a_number_is_no_misspelling_of_another() -> None:
    assert str(UnknownName("run", "99", ["9", "10"])) == "unknown run '99'; there are: 9, 10"
    many = map(str, range(1, 301))
    told = "1, 2, 3, 4, 5, ..., 296, 297, 298, 299, 300"
    assert str(UnknownName("run", "999", many)) == f"unknown run '999'; there are: {told}"


def test_the_nearest_name_is_offered_and_else_all() -> None:
    assert str(UnknownName("set", "tsp5", ["tsp50", "x"])).endswith("did you mean 'tsp50'?")
    names = [f"set-{letter}" for letter in "abcdefghijklmno"]
    assert str(UnknownName("set", "?", names)).endswith(f"there are: {', '.join(names)}")
