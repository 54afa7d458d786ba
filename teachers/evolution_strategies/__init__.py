"""Small networks that score actions, their weights found by evolution strategies."""

TEACHERS = {"es-jssp": "jssp", "es-maxcut": "maxcut"}
