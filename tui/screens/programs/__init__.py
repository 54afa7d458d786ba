"""One program and what it did: its text, decisions and rollouts, what was written about it."""
