"""Methods and operators as data, and methods read from a user's file."""
