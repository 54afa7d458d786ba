"""Scatter plots and their axes."""
