"""Permutation flow shop: one order of the jobs for all machines, as a whole-function problem."""
