"""The command line and the screens: they read the store and start engines, nothing else."""
