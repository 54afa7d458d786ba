"""Parents drawn from a structure over all programs that a search has seen: islands, a tree."""
