"""What a program's text may contain, checked before it runs; start at `inspect.py`."""
