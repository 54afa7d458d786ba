"""What `preceptor new` copies out: a problem, a teacher, a writer and a method to start from."""
