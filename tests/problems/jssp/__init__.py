"""Tests of `problems/jssp`."""
