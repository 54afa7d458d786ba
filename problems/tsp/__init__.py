"""The travelling salesman problem: `problem.py` is the place to start reading."""
