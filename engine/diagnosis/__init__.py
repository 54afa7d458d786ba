"""What a teacher says of a program on the states that it visits; start at `diagnostics.py`."""
