"""Tests of the teachers: what they see, what they say, how they are trained and kept."""
