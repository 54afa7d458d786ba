"""A small teacher, for any problem."""
