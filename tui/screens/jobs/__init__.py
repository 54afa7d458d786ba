"""Runs and studies, at work or finished, and runs side by side."""
