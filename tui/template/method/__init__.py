"""A small method, and the prompt of its operator."""
