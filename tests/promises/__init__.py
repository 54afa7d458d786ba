"""What users are promised, from the command to the file that they take home: few tests, whole."""
