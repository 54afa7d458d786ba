"""The Textual application, its keys and its style sheet."""
