"""Offline-L2D: a job-shop dispatcher learned offline from expert schedules."""

TEACHERS = {"offline-l2d": "jssp"}
