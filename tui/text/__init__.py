"""Values as plain text for a terminal."""
