"""Programs whose loops numba compiles; start at `compile.py`."""
