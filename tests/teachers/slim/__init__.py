"""Tests of SLIM."""
