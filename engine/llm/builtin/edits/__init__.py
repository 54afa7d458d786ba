"""The tree edits that operators of the built-in writer stand for."""
