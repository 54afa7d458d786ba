"""Values as JSON documents, one module for the schemas of a command (docs/schema)."""
