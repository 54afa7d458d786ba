"""The installation, instance sets, teachers, and files of the user's own."""
