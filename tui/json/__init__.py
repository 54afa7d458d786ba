"""Values as JSON documents (schemas in docs/schema)."""
