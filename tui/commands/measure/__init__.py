"""Measure programs, rules and teachers on instance sets."""
