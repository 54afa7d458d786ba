"""A small writer, for any problem."""
