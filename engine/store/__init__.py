"""The run store `runs.db`: schema, transactions, reading, writing, moving runs."""
