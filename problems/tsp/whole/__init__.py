"""The kind `whole` of the travelling salesman problem: programs return a tour at once."""
