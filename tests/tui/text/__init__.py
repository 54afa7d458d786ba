"""Tests of `tui/text`."""
