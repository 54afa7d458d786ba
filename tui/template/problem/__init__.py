"""A small problem: items into bins, one by one."""
