"""Tests of `engine/search/tuning`."""
