"""The panes of the screens; each is given plain values and repaints only what changed."""
