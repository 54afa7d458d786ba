"""The maximum cut problem: `problem.py` is the place to start reading."""
