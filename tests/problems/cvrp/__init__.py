"""Tests of `problems/cvrp`."""
