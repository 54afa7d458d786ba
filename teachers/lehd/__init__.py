"""LEHD: light encoder, heavy decoder, for tours and for routes of vehicles."""

TEACHERS = {"lehd-tsp": "tsp", "lehd-cvrp": "cvrp"}
