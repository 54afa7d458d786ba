"""Score expressions: parsed, generated, measured and written as Python."""
