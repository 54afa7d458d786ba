"""Tests of `engine/search/judging`."""
