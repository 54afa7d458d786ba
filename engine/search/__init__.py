"""The paper's Algorithm 1, pure over an Environment; start at `loop.py`."""
