"""Rules in machine code where that means what Python means; start at `compile.py`."""
