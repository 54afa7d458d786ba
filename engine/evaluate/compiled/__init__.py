"""Programs whose nested loops numba compiles; start at `compile.py`."""
