"""Faults that the suite must notice: each is a piece of the program written wrongly. Run `python -m tests.mutants`."""
