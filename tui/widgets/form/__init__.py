"""Lines of a form and the fields of the launch form."""
