"""What a program's text may hold, checked before it runs."""
