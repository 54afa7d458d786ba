"""One file a command: its options, its help, and a call into what does the work."""
