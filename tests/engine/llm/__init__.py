"""Tests of `engine/llm`."""
