"""Tests of neuroevolution."""
