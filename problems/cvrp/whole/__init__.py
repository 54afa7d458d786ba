"""The kind `whole` of vehicle routing: programs return all routes at once."""
