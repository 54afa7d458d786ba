"""Tests of `problems/tsp`."""
