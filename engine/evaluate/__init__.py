"""Programs x instances to action lists to trusted costs; start at `pool.py`."""
