"""Calibration by search: a program's constants, moved and judged; start at `children.py`."""
