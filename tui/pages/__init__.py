"""What the run commands print to be read: runs, results and programs as plain text."""
