"""List, show, compare and take away what runs have found."""
