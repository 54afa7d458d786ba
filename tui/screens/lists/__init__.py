"""Lists to choose from: runs, programs of a problem, sets, teachers, what is installed."""
