"""Frozen snapshots of runs and studies, read from the store for any front end."""
