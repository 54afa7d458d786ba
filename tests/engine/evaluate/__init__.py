"""Tests of `engine/evaluate`."""
