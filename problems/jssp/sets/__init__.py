"""Instances: the value, the named sets, the files they are read from."""
