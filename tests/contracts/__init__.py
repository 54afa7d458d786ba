"""Tests of `contracts`."""
