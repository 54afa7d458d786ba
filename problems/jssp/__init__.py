"""The job shop: dispatch operations one at a time, minimise the makespan."""
