"""A problem whose programs may bring compiled code."""
