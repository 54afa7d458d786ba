"""The text that each command prints."""
