"""SLIM: a job-shop dispatcher that learns from the best of its own sampled schedules."""

TEACHERS = {"slim": "jssp"}
