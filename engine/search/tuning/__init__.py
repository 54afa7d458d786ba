"""Calibration by search: a program's constants, moved and judged; start at `calibrate.py`."""
