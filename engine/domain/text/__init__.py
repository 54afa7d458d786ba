"""Values as text: canonical JSON, TOML files, and text that is safe to show."""
