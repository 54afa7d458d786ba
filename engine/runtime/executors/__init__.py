"""Where programs are evaluated: on this machine, or on the workers of a Dask cluster."""
