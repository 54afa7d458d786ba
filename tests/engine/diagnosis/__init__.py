"""Tests of `engine/diagnosis`."""
