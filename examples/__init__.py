"""Problems written through the public face alone, as a user's own are; each has a page."""
