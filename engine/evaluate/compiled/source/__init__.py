"""A program's text made fit for numba; start at `translate.py`."""
