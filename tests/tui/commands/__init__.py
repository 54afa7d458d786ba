"""Tests of `tui/commands`."""
