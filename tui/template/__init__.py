"""The small problem that `preceptor new problem` copies for a user to start from."""
