"""Tests of `problems/maxcut`."""
