"""The capacitated vehicle routing problem: `problem.py` is the place to start reading."""
