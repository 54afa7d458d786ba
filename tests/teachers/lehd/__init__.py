"""Tests of `teachers.lehd`."""
