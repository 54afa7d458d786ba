"""Tests of `engine/search/parents`."""
