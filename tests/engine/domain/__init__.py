"""Tests of `engine/domain`."""
