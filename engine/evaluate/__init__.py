"""Programs x instances to action lists to trusted costs; `pool.py` is the way in."""
