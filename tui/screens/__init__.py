"""The screens: the list of runs, a run at work, a program in full, and the small ones."""
