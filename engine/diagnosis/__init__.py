"""What a program does in its states, and what a teacher says of it; start at `diagnostics.py`."""
