"""Tests of `problems`."""
