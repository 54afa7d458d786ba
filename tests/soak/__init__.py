"""Hours of faults in minutes: `make soak`, not part of `make test`."""
