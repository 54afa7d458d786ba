"""The kind `whole` of maximum cut: programs return the side of every vertex at once."""
