"""The search and everything around it; read `search/loop.py` first."""
