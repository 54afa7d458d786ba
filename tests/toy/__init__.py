"""A third party's problem folder, as small as one can be."""
