"""26 circles in the unit square: a problem made of an evaluator that stands by itself."""
