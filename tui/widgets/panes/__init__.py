"""Panes that show one thing about a run or a program."""
