"""The processes that candidate code runs in, and the messages they send."""
