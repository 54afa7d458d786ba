"""Classical heuristics and the seeds of a search."""
