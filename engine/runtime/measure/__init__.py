"""Solvers on held-out sets: programs, rules and teachers, measured once each."""
