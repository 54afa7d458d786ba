"""The files of `preceptor new problem --from`."""
