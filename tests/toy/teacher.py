"""A teacher for the toy: Smith's rule with a doubt about long items."""

# mypy: disable-error-code="no-untyped-def"


def score(item, state):
    """Weight over duration, long items a little later."""
    return item.weight / item.duration - 0.001 * item.finish
