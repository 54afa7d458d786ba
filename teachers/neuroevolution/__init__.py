"""Neuroevolution: a small network that flips vertices, learned by evolution strategies."""

TEACHERS = {"neuroevolution": "maxcut"}
