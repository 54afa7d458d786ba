"""Instance sets of all problems: imported files, the library they are kept in, references."""
