"""Programs whose nested loops numba compiles."""
