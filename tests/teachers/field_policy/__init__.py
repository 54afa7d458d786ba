"""Tests of the teachers that evolution strategies find."""
