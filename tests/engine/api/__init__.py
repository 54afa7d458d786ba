"""Tests of `engine/api`."""
