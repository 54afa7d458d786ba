"""Hours of faults in minutes: `make nightly`, not part of `make test`."""
