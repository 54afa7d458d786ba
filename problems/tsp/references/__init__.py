"""Reference costs as data, and the script that computes them; outside every identity."""
