"""Tests of `engine/monitor`."""
