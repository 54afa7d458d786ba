"""A run as its screen shows it: plain frozen values made from the store, nothing of Textual."""
