"""Tests of `tests`."""
