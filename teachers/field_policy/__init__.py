"""Policies over the fields of any problem's decisions, learned by evolution strategies."""

TEACHERS: dict[str, str] = {}
"""None by a name of its own: that of the problem follows `PREFIX`."""

PREFIX = "fields-"
"""How the teacher of a problem begins, as `fields-shop`."""
