"""Tests of `engine/report`."""
