"""Tests of `engine/store`."""
