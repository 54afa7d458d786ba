"""Who answers a request: the built-in writer, or a language model."""
