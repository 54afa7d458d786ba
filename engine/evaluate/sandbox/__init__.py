"""The processes that candidate code runs in, and their messages; start at `zygote.py`."""
