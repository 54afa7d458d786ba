"""On which instances a program is judged: a part of the design set, all of it, others last."""
