"""Maximum cut whose programs are shown edges and gains, for graphs too large for a matrix."""
