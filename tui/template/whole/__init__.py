"""A small problem whose programs return a whole solution: the order of jobs on one machine."""
