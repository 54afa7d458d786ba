"""Language models behind an OpenAI-compatible address; the only network access."""
